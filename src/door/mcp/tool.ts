import type * as z from 'zod';
import type { Context } from '../cli/context.ts';

/** What tools get of what commands get: nothing that reaches the network, a store, or a lock. */
export type ToolContext = Pick<
  Context,
  'home' | 'tryRead' | 'captured' | 'held' | 'liveAgents' | 'liveIntents' | 'local'
>;

/** Which tools a server offers: all of them, or only those that read. */
export const PROFILES = ['default', 'read'] as const;
export type Profile = (typeof PROFILES)[number];

/** What a tool answers: the text that an agent reads, and the same for programs. */
export interface Reply<Out> {
  readonly text: string;
  readonly value: Out;
}

/** One tool. What it throws is answered as an error with its code. */
export interface Tool<In extends z.ZodType = z.ZodType, Out extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: In;
  readonly output: Out;
  /** True where it changes nothing but what is recorded of the reading itself. */
  readonly reads: boolean;
  /** True where to call it again with the same words changes nothing more. */
  readonly repeatable: boolean;
  readonly run: (
    context: ToolContext,
    given: z.output<In>,
  ) => Reply<z.output<Out>> | Promise<Reply<z.output<Out>>>;
}

/** A tool as the list of all has it: its own types stay inside. */
export function tool<In extends z.ZodType, Out extends z.ZodType>(made: Tool<In, Out>): Tool {
  return made as unknown as Tool;
}
