import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/kit/home.ts';
import { folderGlobs } from './folder-globs.ts';

test('globs name places as sessions do', () => {
  const home = tempFolder('globs');
  const [real, link] = [join(home, 'real'), join(home, 'link')];
  mkdirSync(join(real, 'sub'), { recursive: true });
  symlinkSync(real, link);
  const globs = (glob: string) => folderGlobs([glob], () => home);
  for (const [glob, ...places] of [
    ['~', home],
    ['~/real', real],
    ['~/real/', real],
    ['~/gone/x', join(home, 'gone', 'x')],
    [`${real}/../real/./sub`, join(real, 'sub')],
    [link, link, real],
    ['~/link/gone/x', join(link, 'gone', 'x'), join(real, 'gone', 'x')],
    [`${link}/s*/**`, join(link, 's*', '**'), join(real, 's*', '**')],
    [`${link}/sub/..`, link, real],
    [`${home}/*/link`, join(home, '*', 'link')],
    ['**/link', '**/link'],
    ['/', '/'],
    ['/*', '/*'],
    ['/~/x', '/~/x'],
  ] as const)
    expect(globs(glob), glob).toEqual(places);
  expect(folderGlobs(['~/real', real], () => home)).toEqual([real]);
});
