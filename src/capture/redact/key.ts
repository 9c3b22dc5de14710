import { detached } from '../../base/text.ts';

/**
 * What the value under a key of a tool's input is: `text` is a path with some tools and a text with others; `note`
 * names and describes, so that it can't be the content of a file.
 */
type KeyKind =
  | 'command'
  | 'code'
  | 'arguments'
  | 'folder'
  | 'path'
  | 'text'
  | 'url'
  | 'note'
  | 'other';

/** What a key says of its value. */
interface KeyMeaning {
  readonly kind: KeyKind;
  /** A hash, or public: the entropy rule would take it for a secret. */
  readonly isPublic: boolean;
}

const words = (text: string) => text.split(' ');

const NAMES = new Map<string, KeyKind>([
  ...words('command cmd script shell_command commands command_line bash_command').map(
    (key) => [key, 'command'] as const,
  ),
  ...words('code python_code js_code javascript').map((key) => [key, 'code'] as const),
  // The text of a cell, which no edit runs.
  ...words('new_source old_source').map((key) => [key, 'other'] as const),
  ...words('args arguments argv').map((key) => [key, 'arguments'] as const),
  ...words('cwd workdir work_dir workingdir working_dir workingdirectory working_directory').map(
    (key) => [key, 'folder'] as const,
  ),
  ...words(
    'description pattern query regex type mode output_mode action operation language encoding reason explanation tool name title status',
  ).map((key) => [key, 'note'] as const),
  ...words(
    'file_name pathname fullpath full_path path_in_project include_pattern glob_pattern',
  ).map((key) => [key, 'path'] as const),
  ...words('url file_url').map((key) => [key, 'url'] as const),
]);
/** What a key means by its last word, in the singular or with an `s`. */
const LAST_WORDS = new Map<string, KeyKind>([
  ...words('source src include location document').map((key) => [key, 'text'] as const),
  ...words(
    'file path filename filepath uri target destination dest glob notebook dir directory folder',
  ).map((key) => [key, 'path'] as const),
]);
const PUBLIC =
  /integrity|checksum|digest|hash|etag|fingerprint|public|signature|resolved|sha\d*$|^id$/;

function readKey(key: string): KeyMeaning {
  const name = key.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
  const last = name.slice(Math.max(name.lastIndexOf('_'), name.lastIndexOf('-')) + 1);
  // What is left out is not shown.
  if (/(?:^|[_-])(?:exclud|exclusion|ignor)/.test(name)) return { kind: 'note', isPublic: false };
  const kind =
    NAMES.get(name) ?? LAST_WORDS.get(last) ?? LAST_WORDS.get(last.replace(/s$/, '')) ?? 'other';
  return { kind, isPublic: PUBLIC.test(key.toLowerCase()) };
}

const CACHE_MAX = 1000;
const CACHED_LENGTH_MAX = 100;
const cache = new Map<string, KeyMeaning>();

/** The meaning of a key; each of usual length is read once. */
export function meaningOf(key: string): KeyMeaning {
  const known = cache.get(key) ?? readKey(key);
  // A key is cut from the text of its input, which it would keep alive.
  if (cache.size < CACHE_MAX && key.length <= CACHED_LENGTH_MAX) cache.set(detached(key), known);
  return known;
}
