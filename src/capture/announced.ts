/** The `detail` of an event that announces what its session is about to work on. */
export const INTENT_DETAIL = 'credence intent';

/** What such an event's content says, in JSON: redacted, each path relative to the top of its checkout. */
export interface Announced {
  readonly intents: readonly { readonly repo: string; readonly path: string }[];
  readonly reason: string;
  /** An instant. */
  readonly until: string;
}

/** True where a path is the one of an intent, or lies in the folder that it names: one that ends in `/`. */
export function covers(intent: string, path: string): boolean {
  if (intent === path) return true;
  if (intent.endsWith('/')) return `${path}/`.startsWith(intent);
  return path.endsWith('/') && intent.startsWith(path);
}
