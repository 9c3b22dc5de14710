import type { Home } from '../../node.ts';
import type { Output } from './output.ts';

/** What every command gets. */
export interface Context {
  readonly out: Output;
  /** Opened when first asked for, so that help needs no settings. */
  readonly home: () => Home;
  /** Reads the settings again, after they were written. */
  readonly reload: () => void;
}
