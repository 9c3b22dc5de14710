import picocolors from 'picocolors';

/** Colours on a terminal, and nowhere else: picocolors alone also colours what a CI run collects. */
export const pc = picocolors.createColors(
  process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined,
);
