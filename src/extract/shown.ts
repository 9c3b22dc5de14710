import type { Envelope } from '../runtime/envelope.ts';
import type { OwnWords } from './own-words.ts';

/** A message of a session as a model reads it. */
export interface Shown {
  readonly id: string;
  readonly kind: 'prompt' | 'assistant' | 'tool';
  readonly at: string;
  /** The name of a tool, and how its call ended. */
  readonly tool?: string;
  readonly ended?: string;
  readonly text: string;
}

/** A token is about three bytes of code and English; dense text, such as hex, comes to more. */
const TOKEN_BYTES = 3;
/** A message is cut to this part of all that may be sent: one long output would leave nothing else. */
const MESSAGE_SHARE = 0.25;
const CUT = '\n[…]\n';

/** The beginning and the end of a text, where it is longer: how a run of tests ended stands at its end. */
function middleCut(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  const half = Math.floor((bytesMax - Buffer.byteLength(CUT)) / 2);
  const whole = (part: Buffer) => part.toString('utf8').replaceAll('\ufffd', '');
  return `${whole(bytes.subarray(0, half))}${CUT}${whole(bytes.subarray(bytes.length - half))}`;
}

function endedAs({ exit_code: code, outcome }: NonNullable<Envelope['tool']>): string | undefined {
  return code === undefined ? outcome : `exit ${code}`;
}

function shownOf(event: Envelope, own: OwnWords): Shown | undefined {
  const { message_id: id, event_type, role, content, tool, emitted_at: at } = event;
  if (id === undefined || role === 'thinking' || role === 'system') return undefined;
  if (event_type === 'tool_call' && tool) {
    const text = [tool.input, tool.result].map((part) => own(part ?? '').trim());
    const [name, ended] = [tool.name, endedAs(tool)];
    return {
      id,
      kind: 'tool',
      at,
      ...(name === undefined ? {} : { tool: name }),
      ...(ended === undefined ? {} : { ended }),
      text: text.filter((part) => part !== '').join('\n'),
    };
  }
  if (event_type !== 'prompt' && event_type !== 'assistant') return undefined;
  return { id, kind: event_type, at, text: own(content ?? '').trim() };
}

/** The messages of a session that a model is shown, in its own words; `tokensMax` is what all of them may take, the oldest are left out first. */
export function shownOfSession(
  events: readonly Envelope[],
  own: OwnWords,
  tokensMax: number,
): Shown[] {
  const room = tokensMax * TOKEN_BYTES;
  const kept: Shown[] = [];
  let left = room;
  for (const event of events.toReversed()) {
    const shown = shownOf(event, own);
    if (!shown || shown.text === '') continue;
    const cut = { ...shown, text: middleCut(shown.text, Math.floor(room * MESSAGE_SHARE)) };
    left -= Buffer.byteLength(lineOf(cut)) + 1;
    if (left < 0) break;
    kept.push(cut);
  }
  return kept.toReversed();
}

/** One line of data: whatever stands in it, it can't end the string that it is in, nor the element around it. */
export function lineOf(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}

/** About how many tokens a text takes. */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES);
}
