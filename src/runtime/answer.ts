/** What a hook may tell an agent, whatever the runtime. */
export type Answer =
  | { readonly kind: 'none' }
  /** Text for the agent's context. */
  | { readonly kind: 'context'; readonly text: string }
  /** Refuses the tool call that is about to run. */
  | { readonly kind: 'refuse'; readonly reason: string }
  /** Keeps the agent from ending its turn, once, with something to do. */
  | { readonly kind: 'continue'; readonly reason: string };

/** The answer that says nothing. */
export const NO_ANSWER: Answer = { kind: 'none' };
