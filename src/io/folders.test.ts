import { describe, expect, test } from 'vitest';
import { foldersOf } from './folders.ts';

const ABSOLUTE = { CREDENCE_HOME: '/h', CREDENCE_CONFIG_HOME: '/c' };

describe('the folders of a home', () => {
  test('are those that are named, else those of the user', () => {
    expect(foldersOf(ABSOLUTE)).toEqual({ home: '/h', config: '/c' });
    const { home, config } = foldersOf({ XDG_CONFIG_HOME: '/x' });
    expect(home).toMatch(/^\/.*\/\.credence$/);
    expect(config).toBe('/x/credence');
  });

  test('are not those of a variable that is empty', () => {
    const unset = foldersOf({});
    const empty = { CREDENCE_HOME: '', CREDENCE_CONFIG_HOME: '', XDG_CONFIG_HOME: '' };
    expect(foldersOf(empty)).toEqual(unset);
  });

  test.each([
    { ...ABSOLUTE, CREDENCE_HOME: '.credence' },
    { ...ABSOLUTE, CREDENCE_HOME: './x' },
    { ...ABSOLUTE, CREDENCE_CONFIG_HOME: 'config' },
  ])('%j is refused', (env) => {
    expect(() => foldersOf(env)).toThrow(expect.objectContaining({ code: 'home.relative' }));
  });
});
