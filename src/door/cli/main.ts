#!/usr/bin/env node
import { join } from 'node:path';
import { loadCompiled } from './compiled.ts';

/* The program `credence`. Bundled by itself, beside the bundle of all commands that it loads. */
const { main } = loadCompiled<typeof import('./commands.ts')>(
  join(import.meta.dirname, 'commands.cjs'),
).exports;
await main(process.argv.slice(2));
