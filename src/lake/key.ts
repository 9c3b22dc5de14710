import { CredenceError } from '../base/errors.ts';

/** Room is left for a prefix before the key: S3 allows 1,024 bytes for both together. */
const KEY_BYTES_MAX = 768;
/** The longest file name of the usual file systems. */
const PART_BYTES_MAX = 255;

// A part with a dot in front is no part: it rules out `.` and `..`, and leaves `.tmp-…`, `.DS_Store` and
// `.nfs…` to the file system.
const PART = '[A-Za-z0-9_=%-][A-Za-z0-9._=%-]*';
const KEY = new RegExp(`^${PART}(?:/${PART})*$`);
const PREFIX = new RegExp(`^(?:${PART}/)*(?:${PART})?$`);

/**
 * True for a key that every store accepts: 1 to 768 bytes, parts of 1 to 255 bytes between `/`, of the
 * characters `A-Z a-z 0-9 . _ - = %`, none beginning with a dot.
 */
export function isKey(key: string): boolean {
  return isBounded(key) && KEY.test(key);
}

/** Refuses what is not a key (see `isKey`). Throws CredenceError `incorrect`, `store.key`. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw refusal('key', key);
}

/** Refuses what no key can begin with; the empty prefix is every key's. Throws CredenceError `incorrect`, `store.key`. */
export function assertPrefix(prefix: string): void {
  if (!isBounded(prefix) || !PREFIX.test(prefix)) throw refusal('prefix', prefix);
}

function isBounded(key: string): boolean {
  if (key.length > KEY_BYTES_MAX) return false;
  return key.split('/').every((part) => part.length <= PART_BYTES_MAX);
}

function refusal(what: 'key' | 'prefix', text: string): CredenceError {
  // Quoted and cut, since the text may be anything, of any length.
  const shown = JSON.stringify(text.slice(0, 100));
  return new CredenceError(
    'incorrect',
    'store.key',
    `${shown} can't be a ${what} of an object store`,
    {
      next: 'Build keys from the layout, and names inside them with encodePathPart.',
      data: { [what]: shown, length: text.length },
    },
  );
}
