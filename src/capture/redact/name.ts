/**
 * What a name says of its value: `password` and `secret` are secrets whatever they look like, `token` and `key`
 * only where they look the part; `basic` is base64 of user:password; `phrase` is a list of words.
 */
export type Family = 'password' | 'pass' | 'secret' | 'token' | 'key' | 'basic' | 'phrase';

const SUFFIX =
  /(?:_(?:prod|production|dev|development|staging|stage|test|live|old|new|base|value|val|b64|base64|raw|plain|plaintext|primary|secondary|default|root|admin|local|ci|main|backup|v?\d+))+$/;
const HARMLESS =
  /public|publishable|(?:^|_)(?:pub|page|next|continuation|pagination|sync|resume|cursor|delim|separator|sep|eos|bos|pad|unk|mask|stop|start|end|special|max|min|num|total|no|is|has|show|hide|with|per|first|last|lex|syntax|current|prev|previous|peek|open|close)_(?:page_)?(?:pass|secret|token|key)$/;
/** Names of actions, labels and messages about passwords. */
const ABOUT =
  /(?:^|_)(?:change|reset|forgot|forgotten|invalid|wrong|missing|update|set|verify|check|validate|show|hide|toggle|required?|weak|incorrect|bad|hash|encrypt|mask)_(?:\w+_)?password$/;
const KEY =
  /(?:^|_)(?:api|access|secret|private|priv|signing|sign|encryption|encrypt|decryption|auth|account|shared|master|service|service_role|deploy|deployment|hmac|jwt|crypto|cipher|ssh|app|application|webhook|license|client|admin|root|server|consumer|ingest|ingestion|write|write_only|storage|org|team|user|integration|openai|anthropic|gemini|azure|stripe|sendgrid|mailgun|datadog|dd|heroku|github|cookie|session_secret|django_secret|flask_secret|secret_access|access_token)_?key$/;
const PASS =
  /(?:^|_)(?:db|database|user|smtp|mail|email|ftp|root|admin|sql|mysql|pg|postgres|redis|mongo|rabbit|rabbitmq|auth|login|basic|proxy|sudo|ldap|sasl|registry|docker|http|rpc|wifi|key|store|keystore|cert|ssh|vpn|imap)_?pass$/;

function readFamily(name: string): Family | undefined {
  const flat = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[._-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(SUFFIX, '');
  if (HARMLESS.test(flat) || ABOUT.test(flat)) return undefined;
  if (/(?:password|passwd|passphrase|passcode|(?:^|_)pwd|(?:db|pg|mysql|user)pwd)$/.test(flat)) {
    return 'password';
  }
  if (flat === 'pass') return 'pass';
  if (PASS.test(flat)) return 'password';
  if (/secret$/.test(flat)) return 'secret';
  if (/token$|(?:^|_)jwt$|_pat$/.test(flat)) return 'token';
  // The public half of a signing pair is published under this name; as a variable of the environment it is the secret.
  if (flat === 'signing_key' && /[a-z]/.test(name)) return undefined;
  if (KEY.test(flat) || /(?:api|secret|access|private)key$|credentials?$/.test(flat)) return 'key';
  if (flat === 'auth') return 'basic';
  if (/(?:mnemonic|seed_?phrase|recovery_?phrase)$/.test(flat)) return 'phrase';
  return undefined;
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
