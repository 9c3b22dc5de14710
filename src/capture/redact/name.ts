/**
 * What a name says of its value: `password` and `secret` are secrets whatever they look like, `token` and `key`
 * only where they look the part; `pass` where it stands alone; `basic` is base64 of user:password; `phrase` is a
 * list of words.
 */
export type Family = 'password' | 'pass' | 'secret' | 'token' | 'key' | 'basic' | 'phrase';

const setOf = (words: string) => new Set(words.split(' '));

/** Words after the telling one that change nothing: `DB_PASSWORD_PROD`, `SECRET_KEY_BASE`. */
const SUFFIX = setOf(
  'prod production dev development staging stage test live old new base value val b64 base64 raw plain plaintext primary secondary default root admin local ci main backup',
);
/** Words before `token`, `key`, `secret`, `pass` that make it something else: a cursor, a separator, a flag. */
const HARMLESS = setOf(
  'page next continuation pagination sync resume cursor delim separator sep eos bos pad unk mask stop start end special max min num total no is has show hide with per first last lex syntax current prev previous peek open close',
);
/** Words before `password` that make it an action, a label or a message. */
const ABOUT = setOf(
  'change reset forgot forgotten invalid wrong missing update set verify check validate show hide toggle require required weak incorrect bad hash encrypt mask',
);
/** Words before `key` that make it a secret. */
const KEY = setOf(
  'api access secret private priv signing sign encryption encrypt decryption auth account shared master service role deploy deployment hmac jwt crypto cipher ssh app application webhook license client admin root server consumer ingest ingestion write storage org team user integration openai anthropic gemini azure stripe sendgrid mailgun datadog dd heroku github cookie',
);
/** Words before `pass` that make it a password. */
const PASS = setOf(
  'db database user smtp mail email ftp root admin sql mysql pg postgres redis mongo rabbit rabbitmq auth login basic proxy sudo ldap sasl registry docker http rpc wifi key store keystore cert ssh vpn imap',
);

function readFamily(name: string): Family | undefined {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[._-]+/)
    .filter((word) => word !== '');
  while (
    words.length > 1 &&
    (SUFFIX.has(words.at(-1) ?? '') || /^v?\d+$/.test(words.at(-1) ?? ''))
  ) {
    words.pop();
  }
  const [last = '', before = ''] = words.toReversed();
  if (words.some((word) => word === 'pub' || /^publi(?:c|shable)/.test(word))) return undefined;
  if (/pass(?:word|wd|phrase|code)$|^(?:db|pg|mysql|user)?pwd$/.test(last)) {
    return words.some((word) => ABOUT.has(word)) ? undefined : 'password';
  }
  if (HARMLESS.has(before)) return undefined;
  if (last === 'pass')
    return words.length === 1 ? 'pass' : PASS.has(before) ? 'password' : undefined;
  if (last.endsWith('secret')) return 'secret';
  if (/token$|^jwt$/.test(last) || (last === 'pat' && before !== '')) return 'token';
  if (last === 'auth' && words.length === 1) return 'basic';
  if (last === 'mnemonic' || (last === 'phrase' && /^(?:seed|recovery)$/.test(before)))
    return 'phrase';
  // The public half of a signing pair is published under this name; as a variable of the environment it is the secret.
  if (before === 'signing' && words.length === 2 && /[a-z]/.test(name)) return undefined;
  const isKey =
    (last === 'key' && KEY.has(before)) ||
    /(?:api|secret|access|private)key$|credentials?$/.test(last);
  return isKey ? 'key' : undefined;
}

const CACHE_MAX = 1000;
const cache = new Map<string, Family | undefined>();

/** The family of a variable, field, header or flag name; undefined where it names no secret. */
export function familyOf(name: string): Family | undefined {
  if (cache.has(name)) return cache.get(name);
  const family = readFamily(name);
  if (name.length <= 64 && cache.size < CACHE_MAX) cache.set(name, family);
  return family;
}
