/** The variable by which the hook knows an agent that we started: capturing it would feed on itself. */
export const CHILD_VARIABLE = 'CREDENCE_CHILD';

/** What the prompt of such an agent begins with, so that its transcript is known, too, where somebody imports it. */
export const OWN_MARK = '<credence-own-session/>';

/** True of a prompt of our own. What stands in a recording that it asks about has no such mark: there `<` is written otherwise. */
export function isOwnPrompt(text: string): boolean {
  return text.includes(OWN_MARK);
}
