import { toInstant } from '../../src/base/time.ts';
import type { Household } from '../../src/ledger/found.ts';
import type { ClaimBody, EndorsementBody } from '../../src/record/claim.ts';
import { excerptHash } from '../../src/record/evidence.ts';
import { recordId } from '../../src/record/record.ts';
import type { HandoffBody, SessionBody } from '../../src/record/session.ts';
import type { Envelope, Injected } from '../../src/runtime/envelope.ts';
import { claimBody, positionBody } from '../../test/kit/claims.ts';
import { envelope } from '../../test/kit/envelopes.ts';
import { handoffBody, householdOf, sessionBody, T0 } from '../../test/kit/fleet.ts';

/*
 * A fleet with a known truth. Twelve agents of twelve operators answer questions; each looks for itself and is right four times in
 * five, or repeats what an earlier session answered and that came before it. Nobody says which of the two it did.
 */

/** How an answer comes before another session: through what Credence put there, or through a copy that it knows nothing of. */
const CHANNELS = ['briefing', 'search', 'handoff', 'digest', 'file', 'prompt'] as const;
type Channel = (typeof CHANNELS)[number];

/** One session: what was captured of it, what it said, and the truth about it. */
export interface Answer {
  readonly session: string;
  readonly home: Household;
  readonly question: number;
  readonly value: number;
  readonly isRight: boolean;
  /** The session that it repeats, and how that came to it; undefined where it looked for itself. */
  readonly copied: { readonly from: Answer; readonly channel: Channel } | undefined;
  /** The claim that it made, or that it agreed with. */
  readonly claim: string;
  readonly events: readonly Envelope[];
  readonly records: readonly (readonly [context: string, body: object])[];
  readonly handoff: string;
  readonly text: string;
}

const AGENTS = 12;
const RIGHT = 0.8;
const WRONG_VALUES = 3;
const homes = Array.from({ length: AGENTS }, (_, i) => householdOf(`echo-${i}`));

/** A stream of numbers from 0 to below 1 that is the same in each run: mulberry32. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

const WORDINGS = [
  (name: string, port: number) => `The ${name} service listens on port ${port} in staging.`,
  (name: string, port: number) => `In staging the ${name} service listens on port ${port}.`,
  (name: string, port: number) => `Staging's ${name} service listens on port ${port}.`,
];
const NAMES = ['billing', 'search', 'ledger', 'upload', 'mail', 'session', 'export', 'metrics'];
const nameOf = (question: number) =>
  `${NAMES[question % NAMES.length]}-${Math.floor(question / NAMES.length)}`;
/** The right value of a question is the first: the others are the mistakes that can be made about it. */
const portOf = (question: number, choice: number) => 2_000 + 10 * question + choice;

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  const out: T[] = [];
  while (left.length > 0) out.push(...left.splice(Math.floor(random() * left.length), 1));
  return out;
}

/** The answers to a question in their order, of which a part is echoes of earlier ones. */
export function answersTo(question: number, echoes: number, random: () => number): Answer[] {
  const answers: Answer[] = [];
  for (const home of shuffled(homes, random)) {
    const earlier = answers[Math.floor(random() * answers.length)];
    const channel = CHANNELS[Math.floor(random() * CHANNELS.length)] as Channel;
    const isEcho = earlier !== undefined && random() < echoes;
    const isRight = random() < RIGHT;
    const choice = isRight ? 0 : 1 + Math.floor(random() * WRONG_VALUES);
    const value = isEcho ? earlier.value : portOf(question, choice);
    const wording = Math.floor(random() * WORDINGS.length);
    const copied = isEcho ? { from: earlier, channel } : undefined;
    // Who looked for itself may come upon what others say afterwards: that takes nothing from it.
    const seenAfter = !isEcho && random() < 0.3 ? earlier : undefined;
    // Of those to whom the claim itself was shown half agree with it; the others say it in their own words.
    const isAgreeing = copied !== undefined && random() < 0.5;
    answers.push(
      answer({ home, question, value, wording, copied, seenAfter, isAgreeing }, answers.length),
    );
  }
  return answers;
}

interface Plan extends Pick<Answer, 'home' | 'question' | 'value' | 'copied'> {
  readonly wording: number;
  readonly seenAfter: Answer | undefined;
  readonly isAgreeing: boolean;
}

function answer(plan: Plan, place: number): Answer {
  const { home, question, value, copied, wording } = plan;
  const session = `q${question}-${place}`;
  const text = (WORDINGS[wording] ?? (() => ''))(nameOf(question), value);
  const first = T0 - 3_600_000 + place * 60_000;
  const at = (n: number) => toInstant(first + n * 1_000);
  const base = { session_id: session, agent_id: home.agents[0]?.id ?? '' };
  const events = [
    envelope({
      ...base,
      emitted_at: at(0),
      content: `Find out where ${nameOf(question)} listens.`,
    }),
    ...(copied ? [meeting(copied.from, copied.channel, at(1))] : []),
    said(`${session} found ${value}`, 'm1', at(2)),
    ...(plan.seenAfter ? [meeting(plan.seenAfter, 'briefing', at(3))] : []),
  ].map((event) => ({ ...event, ...base }));
  const cited = {
    session_id: session,
    message_id: 'm1',
    excerpt_hash: excerptHash(`${session} found ${value}`),
    observed_at: at(2),
  };
  const fields = { evidence: [cited], asserted_at: at(4), subject: [nameOf(question)] };
  const isAgreeing = plan.isAgreeing && copied !== undefined && isShown(copied.channel);
  const said1: ClaimBody | EndorsementBody = isAgreeing
    ? positionBody(home, copied.from.claim, { evidence: [cited], issued_at: at(4) })
    : claimBody(home, text, fields);
  const summary = `Looked at ${nameOf(question)} for ${session}, port ${value} it is.`;
  const note: HandoffBody = handoffBody(home, session, { summary });
  const window = { first: at(0), last: at(9) };
  const sealed: SessionBody = sessionBody(home, session, { window });
  const context = isAgreeing ? 'endorsement' : 'claim';
  return {
    ...{ session, home, question, value, copied, events },
    // What others can copy is what is on file.
    text: isAgreeing ? copied.from.text : text,
    isRight: value === portOf(question, 0),
    claim: isAgreeing ? copied.from.claim : recordId('claim', said1),
    handoff: recordId('handoff', note),
    records: [
      ['session', sealed],
      ['handoff', note],
      [context, said1],
    ],
  };
}

const isShown = (channel: Channel) => channel === 'briefing' || channel === 'search';

function said(content: string, message_id: string, emitted_at: string): Envelope {
  return envelope({ event_type: 'assistant', role: 'assistant', content, message_id, emitted_at });
}

/** How another session's answer comes before one: the event in which that was captured. */
function meeting(from: Answer, channel: Channel, emitted_at: string): Envelope {
  const shown = (kind: Injected['kind'], id: string): Injected[] => [
    { kind, id, source: from.session, observed_by: from.home.agents[0]?.id ?? '' },
  ];
  switch (channel) {
    case 'briefing':
      return envelope({
        event_type: 'session_start',
        emitted_at,
        injected_context: shown('claim', from.claim),
      });
    case 'handoff':
      return envelope({
        event_type: 'session_start',
        emitted_at,
        injected_context: shown('handoff', from.handoff),
      });
    case 'digest':
      return envelope({
        event_type: 'session_start',
        emitted_at,
        injected_context: shown('digest', from.session),
      });
    case 'search':
      return toolCall(
        emitted_at,
        { injected_context: shown('claim', from.claim) },
        'found 1 claim',
      );
    case 'file':
      return toolCall(emitted_at, {}, `# Notes\n\n- ${from.text}\n- Rotate the keys.\n`, [
        'NOTES.md',
      ]);
    case 'prompt':
      return envelope({ emitted_at, content: `A colleague says: ${from.text} Use that.` });
  }
}

function toolCall(
  emitted_at: string,
  fields: Partial<Envelope>,
  result: string,
  paths: readonly string[] = [],
): Envelope {
  const tool = { name: 'Read', call_id: 'c1', result, paths: [...paths] } as Envelope['tool'];
  return envelope({ event_type: 'tool_call', emitted_at, ...fields, tool });
}
