import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStory, type Story } from './story.ts';

/** Reads every story of a folder, in the order of their names. Throws `sample.story` at one that doesn't fit. */
export function readStories(folder: string): readonly Story[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  return names
    .sort()
    .map((name) => readStory(name.slice(0, -4), readFileSync(join(folder, name), 'utf8')));
}
