import { toInstant } from '../../src/base/time.ts';
import type { Chance } from './chance.ts';

/** What every line of one transcript repeats. */
export interface Voice {
  readonly sessionId: string;
  readonly cwd: string;
  readonly version: string;
  readonly model: string;
  /** Set for a subagent's transcript, whose lines are a sidechain of `sessionId`. */
  readonly agentId?: string;
}

export type Line = Readonly<Record<string, unknown>>;

/** A transcript under way: lines so far, the clock in milliseconds, and what the next line hangs on. */
export interface Tape {
  readonly voice: Voice;
  readonly chance: Chance;
  readonly lines: Line[];
  at: number;
  branch: string;
  parent: string | null;
  /** When the prompt that is being answered came; undefined between turns. */
  turnStart: number | undefined;
  /** Prompts so far: a person takes time over each but the first. */
  prompts: number;
  /** The last line before the session was taken up again. */
  leaf: string | undefined;
  /** Tokens that the model has read and cached, and those that its next request adds. */
  cached: number;
  fresh: number;
}

/** Estimates tokens: four bytes each, which is near enough for made-up usage. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** Moves the clock by a chance of `low` to `high` milliseconds. */
export function pass(tape: Tape, low: number, high: number): void {
  tape.at += tape.chance.between(low, high);
}

/**
 * Adds a line that is part of the chain: the common fields around `fields`, a new uuid, the clock.
 * `parent` overrides what it hangs on. Returns its uuid.
 */
export function chain(tape: Tape, fields: Line, parent: string | null = tape.parent): string {
  const { voice } = tape;
  const uuid = tape.chance.uuid();
  tape.lines.push({
    parentUuid: parent,
    isSidechain: voice.agentId !== undefined,
    userType: 'external',
    cwd: voice.cwd,
    sessionId: voice.sessionId,
    version: voice.version,
    gitBranch: tape.branch,
    ...(voice.agentId === undefined ? {} : { agentId: voice.agentId }),
    ...fields,
    uuid,
    timestamp: toInstant(tape.at),
  });
  tape.parent = uuid;
  return uuid;
}

/** The usage of the request that produced `output` tokens; what was fresh is cached from here on. */
export function spend(tape: Tape, output: number): Line {
  const usage = {
    input_tokens: tape.chance.between(2, 9),
    cache_creation_input_tokens: tape.fresh,
    cache_read_input_tokens: tape.cached,
    output_tokens: output,
  };
  tape.cached += tape.fresh;
  tape.fresh = output;
  return usage;
}
