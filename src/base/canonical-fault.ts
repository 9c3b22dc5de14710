/** Strings and punctuation of a JSON text, in order. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs;

/** True where an object of a JSON text has a key twice, however it is escaped. */
function hasDuplicateKey(text: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const keys = open.at(-1);
      const key = JSON.parse(last) as string;
      if (keys?.has(key)) return true;
      keys?.add(key);
    }
    last = token;
  }
  return false;
}

/**
 * Why a JSON text is not canonical, though its value has a canonical text: a code's last word, and the same in words.
 * Duplicate keys come first, since a value says nothing of them.
 */
export function spellingFault(
  received: string,
  value: unknown,
): readonly [code: string, what: string] {
  if (hasDuplicateKey(received)) return ['duplicate', 'JSON with a key twice in one object'];
  if (received.normalize('NFC') !== received) return ['nfc', 'JSON with a text that is not NFC'];
  if (JSON.stringify(value) === received) return ['order', 'JSON whose keys are not in order'];
  return ['spelling', 'JSON, spelled in another way than the canonical one'];
}
