// Words that stand where a secret would: kinds of secrets, types, states, makers' names, fillers.
const GENERIC =
  'a an and any api apikey app application apps as at auth authentication authorization authorized aws azure base64 basic bearer ' +
  'blank bool boolean bot bytes cancelled change changeme char ci cli client code config cookie cookies credential ' +
  'credentials csrf current custom data db default deny dev disabled dummy empty enabled env error example expired ' +
  'confirm field forgot input label reenter repeat fake false file foo bar baz for found from function generate generated get github gitlab global goes google ' +
  'hash hashed header here hidden host id in input insert int integer invalid is it jwt key keys later local login ' +
  'masked me missing mock my name new nil no none not null number object of ok old omitted on openai optional or our ' +
  'pass passphrase passwd password path pending placeholder plain please private prod production project provided ' +
  'public pwd read redacted ref refresh removed replace request required reset revoked root sample script secret secrets ' +
  'service session set setting some source ssh ssm stdin str string stripe stub super temp test tests text that the ' +
  'this to todo token tokens true type types undefined unknown unset update url use user username uuid valid value ' +
  'var variable vault void web webhook with write xxx xxxx x y you your';

let generic: ReadonlySet<string> | undefined;

/** The words of a text, in lower case: parted at anything but letters and digits, and where a capital follows a small letter. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

function areKnown(words: readonly string[], more: readonly string[]): boolean {
  generic ??= new Set(GENERIC.split(' '));
  const known = generic;
  return words.every((word) => known.has(word) || more.includes(word) || /^\d$/.test(word));
}

/** True for text that is made only of words that name a secret, its type or its absence: `your-api-key`. */
export function isGeneric(text: string): boolean {
  return areKnown(wordsOf(text), []);
}

/** True where any of the words is one of those. */
export function hasGenericWord(text: string): boolean {
  return wordsOf(text).some((word) => areKnown([word], []));
}

/** True for a value that repeats its name: `CHALLENGE_PASSWORD: "challengePassword"`. */
export function namesItself(value: string, name: string): boolean {
  const words = wordsOf(value);
  return words.length > 1 && areKnown(words, wordsOf(name));
}

const REFERENCE =
  /^(?:\$|<|\{[^{}]*\}$|\[[^\]]*\]?$|%(?:[svqd]\b|\(|\w+%)|process\.|os\.|env\b[.:(]|import\.meta|vault:|op:\/\/|secretref:|arn:|sha\d{1,3}[-:]|(?:your|enter|insert|replace|change|example|placeholder|fake|dummy)[-_ ]|@[\w-]*[./][\w./-]*$)/i;

/**
 * True for what points to a secret or stands in for one: `${X}`, `<your-token>`, `process.env.X`, a mask, an
 * example.
 */
export function isReference(value: string): boolean {
  return (
    REFERENCE.test(value) ||
    /^[xX*•.…_-]+$|^0+$/.test(value) ||
    /\$\{|\{\{|#\{|<%|%\(|\$\(|\.{3}|…|redacted/i.test(value) ||
    isGeneric(value)
  );
}
