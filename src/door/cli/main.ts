#!/usr/bin/env node
import { join } from 'node:path';
import { loadCompiled } from './compiled.ts';

/* The program `credence`. Bundled by itself, beside the bundle of all commands, and that of the MCP server, which it loads. */
const [command, ...words] = process.argv.slice(2);
const bundle = (name: string) => join(import.meta.dirname, name);
if (command === 'mcp' && !words.includes('--help') && !words.includes('-h')) {
  const { main } = loadCompiled<typeof import('../mcp/main.ts')>(bundle('mcp.cjs')).exports;
  await main(words);
} else {
  const { main } = loadCompiled<typeof import('./commands.ts')>(bundle('commands.cjs')).exports;
  await main(process.argv.slice(2));
}
