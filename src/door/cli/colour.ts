import picocolors from 'picocolors';

/** Colours on a terminal, and nowhere else: picocolors alone also colours what a CI run collects. */
export function coloursOf(stream: { readonly isTTY?: boolean }) {
  return picocolors.createColors(stream.isTTY === true && process.env['NO_COLOR'] === undefined);
}

/** Colours of what is printed to standard output. */
export const pc = coloursOf(process.stdout);

/** Colours of what is printed to standard error, which can lead elsewhere. */
export const errorPc = coloursOf(process.stderr);
