/** What git says of the commits between two heads. */
export type GitChanges =
  | {
      readonly kind: 'read';
      /** Paths from the top of the checkout, and the committer's time in ms; the newest first. */
      readonly changes: readonly { readonly path: string; readonly at: number }[];
      readonly isCut: boolean;
    }
  | { readonly kind: 'absent' | 'failed' };
