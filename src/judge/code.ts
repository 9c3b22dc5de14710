import type { Token, TokenKind } from './token.ts';

const EXTENSION =
  /[\w*]\.(?:[cm]?[jt]sx?|json[c5l]?|ya?ml|toml|mdx?|txt|rst|sh|py|go|rs|rb|java|kt|swift|php|cs?|cpp|h|sql|cfg|conf|ini|env|lock|xml|html?|s?css|db|sqlite|log|tf|tfvars|hcl|proto|graphql|csv|tsv|gz|zip|sock|pid|pem|key|crt|plist|gradle|mod|sum|vue|svelte|properties)$/;

/** The kind of what was written as code, by its shape. */
function kindOf(text: string): TokenKind {
  if (/^[a-z\d+]+:\/\/|^git@|^[\w-]+(?:\.[\w-]+)+\.?[a-z]{2,}(?::\d+)?\/\S*$/i.test(text))
    return 'url';
  if (/^--?[A-Za-z][\w-]*$/.test(text)) return 'flag';
  if (/^[0-9a-f]{7,40}$/.test(text) && /\d/.test(text)) return 'commit';
  if (/^v?\d+(?:\.\d+)+(?:-[\w.]+)?$|^v\d+$/i.test(text)) return 'version';
  if (/^\d+(?:\.\d+)?$/.test(text)) return 'number';
  if (!text.includes(' ') && (/\/|^~|^\.\w/.test(text) || EXTENSION.test(text))) return 'path';
  return 'name';
}

const HOME = /^(?:\$HOME|\$\{HOME\}|~)(?=\/|$)/;

/** The normal form of a value of that kind: what differs in it makes it another value. */
function normalForm(text: string, kind: TokenKind): string {
  switch (kind) {
    case 'url':
      return text.replace(/^([a-z]+:\/\/[^/]*)/i, (host) => host.toLowerCase()).replace(/\/+$/, '');
    case 'path':
      return text
        .replace(HOME, '~')
        .replace(/^\.\//, '')
        .replace(/(?<=.)\/+$/, '');
    case 'version':
      return text.toLowerCase().replace(/^v(?=\d)/, '');
    case 'name':
      // Headers and constants are the same in any case; short names and flags are not.
      return text.replace(/\(\)$/, '').replace(/\s+/g, ' ');
    default:
      return text;
  }
}

/** A token of code in its normal form; without a kind, that which its shape tells. */
export function codeToken(text: string, known: TokenKind | undefined): Token {
  const kind = known ?? kindOf(text);
  const token = { kind, text: normalForm(text, kind) };
  if (kind !== 'number') return token;
  return { ...token, value: Number(text) };
}
