/**
 * What the value under a key of a tool's input is: `text` is a path with some tools and a text with others; `note`
 * names and describes, so that it can't be the content of a file.
 */
type KeyKind = 'command' | 'arguments' | 'folder' | 'path' | 'text' | 'url' | 'note' | 'other';

/** What a key says of its value. */
interface KeyMeaning {
  readonly kind: KeyKind;
  /** A hash, or public: the entropy rule would take it for a secret. */
  readonly isPublic: boolean;
}

const KINDS: readonly (readonly [kind: KeyKind, key: RegExp])[] = [
  ['command', /^(?:command|cmd|script|shell_command|commands)$/],
  ['arguments', /^(?:args|arguments|argv)$/],
  ['folder', /^(?:cwd|workdir|working_?dir(?:ectory)?)$/],
  ['url', /^url$/],
  [
    'note',
    /^(?:description|pattern|query|regex|type|mode|output_mode|action|operation|language|encoding|reason|explanation|tool|name|title)$/,
  ],
  ['text', /(?:^|[_-])(?:source|src|include|location|document)s?$/],
  [
    'path',
    /(?:^|[_-])(?:file|path|filename|filepath|uri|target|destination|dest|glob|notebook|dir|directory|folder)s?$/,
  ],
];
const PUBLIC =
  /integrity|checksum|digest|hash|etag|fingerprint|public|signature|resolved|sha\d*$|^id$/;

function readKey(key: string): KeyMeaning {
  const words = key.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
  const kind = KINDS.find(([, pattern]) => pattern.test(words))?.[0] ?? 'other';
  return { kind, isPublic: PUBLIC.test(key.toLowerCase()) };
}

const CACHE_MAX = 1000;
const cache = new Map<string, KeyMeaning>();

/** The meaning of a key; each is read once. */
export function meaningOf(key: string): KeyMeaning {
  const known = cache.get(key) ?? readKey(key);
  if (cache.size < CACHE_MAX) cache.set(key, known);
  return known;
}
