/** What the hook needs of the user's settings, resolved and written as `hook.json`, so that the hook reads no TOML. */
export interface HookSettings {
  readonly fleet_id: string;
  readonly host_id: string;
  /** Runtime → agent id. A runtime that is not here is captured as `unconfigured`. */
  readonly agents: Readonly<Record<string, string>>;
  readonly pause: boolean;
  /** Globs of folders in which nothing is captured. */
  readonly exclude: readonly string[];
  /** Globs of paths that are denied beyond the built-in ones. */
  readonly denied_paths: readonly string[];
  /** Refuse a read of a denied path, instead of recording it without its result. */
  readonly refuse_denied: boolean;
  /** Whether agents are asked for a handoff. */
  readonly handoffs: boolean;
  /** Whether agents are shown claims. */
  readonly claims: boolean;
  /** The command that starts one sync, and the command that an agent leaves a handoff with. */
  readonly sync_command: readonly string[];
  readonly handoff_command: string;
  /** The tool that an agent leaves one with, by the name that its runtime gives it; absent where none is registered. */
  readonly handoff_tool?: string | undefined;
}

/** An agent id that nobody set. Visible in status and doctor; such an agent cannot propose. */
export const UNCONFIGURED = 'unconfigured';

/**
 * The settings under the variable `CREDENCE_PAUSE`: `true` pauses, and so does what is no value of it. `false` lifts no
 * pause that the user set: a folder that an agent works in can set variables.
 */
export function pausedBy(variable: string | undefined, settings: HookSettings): HookSettings {
  const isPause = variable !== undefined && variable !== '' && variable !== 'false';
  return isPause ? { ...settings, pause: true } : settings;
}
