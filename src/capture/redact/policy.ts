/** Which globs are denied beside the built-in paths. */
export interface DeniedPaths {
  /**
   * Globs whose files are recorded by name only: `*` and `?` stay inside one part, `**` spans parts. A glob without
   * a slash matches any part of a path; a relative one matches at any folder; all also match what lies below.
   */
  readonly deniedPaths?: readonly string[];
  /** The folder that relative paths start from, where it is known. */
  readonly cwd?: string | undefined;
}

/** What redaction needs to know of the host. */
export type RedactionPolicy = DeniedPaths &
  (
    | {
        /** Key of the host: withheld values become a keyed hash, so that repeats can be counted. */
        readonly key: Uint8Array;
      }
    | {
        /** The same key, read only when something is withheld; called at each value, so it caches by itself. */
        readonly secret: () => Uint8Array;
      }
  );

/**
 * What a text is: `prose` is anything that a person or a model wrote, code included; `command` a shell command;
 * `output` what a tool returned. The entropy rule runs on `output` only.
 */
export type TextKind = 'prose' | 'command' | 'output';

/** One value that was held back: never the value itself. `hash` is the full keyed hash, `bytes` its UTF-8 length. */
export interface Withheld {
  readonly rule: string;
  readonly bytes: number;
  readonly hash: string;
}

export function keyOf(policy: RedactionPolicy): Uint8Array {
  return 'key' in policy ? policy.key : policy.secret();
}
