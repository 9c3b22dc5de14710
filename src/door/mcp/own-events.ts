import { line } from '../../brief/lines.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import type { BriefLine } from '../../capture/brief-file.ts';
import { ownWords } from '../../capture/fence.ts';
import type { Envelope } from '../../runtime/envelope.ts';
import type { Caller } from './caller.ts';

/** As much of a text as tells one message from another. */
const EXCERPT_BYTES_MAX = 160;
const NAME_BYTES_MAX = 40;

/** A message of the caller's own session, by the id that a citation names. */
export interface OwnMessage {
  readonly message_id: string;
  readonly at: string;
  readonly what: string;
}

function excerpt(text: string | undefined): string {
  return text === undefined
    ? ''
    : sanitise(ownWords(text, 4 * EXCERPT_BYTES_MAX), EXCERPT_BYTES_MAX);
}

function whatOf({ event_type, tool, role }: Envelope): string {
  if (event_type !== 'tool_call') return role ?? event_type;
  const exit = tool?.exit_code === undefined ? '' : `, exit ${tool.exit_code}`;
  return `${sanitise(tool?.name ?? 'tool', NAME_BYTES_MAX)}${exit}`;
}

/** What a session said and did, in order, one line a message: what cannot be cited has none. */
export function ownMessages(
  events: readonly Envelope[],
  caller: Caller,
): { readonly message: OwnMessage; readonly line: BriefLine }[] {
  // A message that was captured twice is one, as it was seen last.
  const byId = new Map<string, Envelope>();
  for (const event of events) {
    if (event.message_id === undefined) continue;
    byId.delete(event.message_id);
    byId.set(event.message_id, event);
  }
  const { session, agent: observed_by } = caller;
  const item = { kind: 'digest' as const, id: safeId(session, 200), source: session, observed_by };
  return [...byId].map(([id, event]) => {
    const message_id = safeId(id, 256);
    const what = whatOf(event);
    const { content, tool } = event;
    const result = excerpt(tool?.result);
    const said = [excerpt(content ?? tool?.input), ...(result === '' ? [] : [`→ ${result}`])];
    const text = `- [${event.emitted_at.slice(0, 19)}Z, ${what}] (${message_id}) ${said.join(' ')}`;
    return { message: { message_id, at: event.emitted_at, what }, line: line(text, [item]) };
  });
}
