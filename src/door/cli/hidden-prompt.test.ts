import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askHidden, type Terminal } from './hidden-prompt.ts';

function terminal(isTTY = true) {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY,
    setRawMode: (raw: boolean) => void modes.push(raw),
  });
  const output = Object.assign(new PassThrough(), { isTTY });
  const shown = () => String(output.read() ?? '');
  return { at: { input, output } as Terminal, input, modes, shown };
}

test.each<[string, readonly string[], string]>([
  ['a line', ['tide and pool\r'], 'tide and pool'],
  ['one key after another', [...'tide\n'], 'tide'],
  ['a paste with an end in it', ['tide\rrest'], 'tide'],
  ['a slip that is taken back', ['tixx\u007f\u007fde\r'], 'tide'],
  ['a letter of two units that is taken back', ['ti🌊\bde\r'], 'tide'],
  ['a line that is begun again', ['wrong\u0015tide\r'], 'tide'],
  ['keys that are no letters', ['ti\u0001\u0007de\r'], 'tide'],
  ['nothing', ['\r'], ''],
])('hears %s', async (_what, keys, line) => {
  const { at, input, modes, shown } = terminal();
  const asked = askHidden('passphrase: ', at);
  for (const key of keys) input.write(key);
  expect(await asked).toBe(line);
  // Nothing of it is on the screen, and the terminal is as it was.
  expect(shown()).toBe('passphrase: \n');
  expect(modes).toEqual([true, false]);
});

test.each(['\u0003', 'half\u0003', '\u0004'])('is left by %j', async (keys) => {
  const { at, input, modes } = terminal();
  const asked = askHidden('passphrase: ', at);
  input.write(keys);
  await expect(asked).rejects.toMatchObject({ code: 'usage.cancelled' });
  expect(modes).toEqual([true, false]);
});

test('is left where the terminal goes away', async () => {
  const { at, input } = terminal();
  const asked = askHidden('passphrase: ', at);
  input.end();
  await expect(asked).rejects.toMatchObject({ code: 'usage.cancelled' });
});

test('asks nobody where there is no terminal', async () => {
  const { at, shown } = terminal(false);
  expect(await askHidden('passphrase: ', at)).toBeUndefined();
  expect(shown()).toBe('');
});
