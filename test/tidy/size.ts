import { complaint, isTest, type TextFile } from './tree.ts';

const SOFT_MAX = 300;
const HARD_MAX = 500;

/** Files between the two limits → why they are not split. Function length is Biome's rule (70 lines). */
const LONG: Readonly<Record<string, string>> = {};

/** Files stay small: over 300 lines only with a reason in the list above, over 500 never. Tests are free. */
export function fileSize(files: readonly TextFile[], long = LONG): string[] {
  return files
    .filter(({ path }) => /\.(?:ts|mjs)$/.test(path) && !isTest(path))
    .flatMap(({ path, text }) => {
      const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
      if (lines > HARD_MAX)
        return [
          complaint(
            'size',
            path,
            HARD_MAX + 1,
            `${lines} lines: split by noun, ${HARD_MAX} is the limit`,
          ),
        ];
      if (lines <= SOFT_MAX || long[path]) return [];
      return [
        complaint(
          'size',
          path,
          SOFT_MAX + 1,
          `${lines} lines: split it, or give the reason in LONG of test/tidy/size.ts`,
        ),
      ];
    });
}
