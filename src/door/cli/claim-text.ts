import { duration } from '../../brief/describe.ts';
import { caveats, observer, support } from '../../brief/describe-claim.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import type {
  AttemptView,
  CitationView,
  ClaimDetail,
  DecisionView,
  Wait,
} from '../../query/claim-detail.ts';
import type { ClaimView } from '../../query/claims.ts';
import type { Excerpt } from '../../query/excerpt.ts';
import { pc } from './colour.ts';
import { REASONS } from './gate-reasons.ts';
import { count } from './output.ts';
import type { ShownId } from './session-text.ts';
import { type Fit, table } from './table.ts';

const EXCERPT_BYTES_MAX = 600;
const BASIS_BYTES_MAX = 400;
/** The states of claims in their colours. */
export const STATUS = {
  candidate: pc.yellow,
  promoted: pc.green,
  contested: pc.red,
  superseded: pc.dim,
  joined: pc.dim,
  expired: pc.dim,
  rejected: pc.red,
  retired: pc.dim,
} as const;

const minute = (instant: string) => instant.slice(0, 16).replace('T', ' ');
const field = (name: string, value: string | undefined) =>
  value === undefined || value === '' ? [] : [`${pc.dim(name.padEnd(11))} ${value}`];

/** `promoted, contradicted by 2, suspect`. */
function stateOf({ status, contradictions, suspect }: ClaimView): string {
  return [
    status,
    ...(contradictions > 0 ? [`contradicted by ${contradictions}`] : []),
    ...(suspect ? ['suspect'] : []),
  ].join(', ');
}

/** How long ago something was, in the largest unit that says something. */
const age = (seconds: number) => duration(seconds * 1_000);

/** Claims as a table that fits a width. */
export function claimTable(
  claims: readonly ClaimView[],
  shownId: ShownId,
  width: number | undefined,
): string {
  const head = ['id', 'status', 'type', 'by', 'met', 'sessions', 'conf', 'statement'];
  const rows = claims.map((claim) => [
    shownId('claim', claim.id),
    STATUS[claim.status](stateOf(claim)),
    claim.claimType ?? sanitise(claim.kind, 20),
    observer(claim),
    age(claim.staleness_seconds),
    String(claim.evidenceCount),
    claim.confidence.toFixed(2),
    sanitise(claim.statement, 200),
  ]);
  const fit: Fit = {
    width,
    drop: ['sessions', 'met', 'type'],
    cut: [
      ['statement', 34],
      ['by', 10],
      ['statement', 12],
    ],
  };
  return table(head, rows, fit);
}

function waitText(wait: Wait, shownId: ShownId): string {
  switch (wait.for) {
    case 'seal':
      return `seal: ${wait.sessions.map((one) => shownId('session', one)).join(', ')} ${wait.sessions.length === 1 ? 'is' : 'are'} not sealed yet`;
    case 'review':
      return `review: ${wait.approvals} of ${count(wait.required, 'approval')}`;
    case 'gates':
      return 'gates: they decide, and no verdict does';
    case 'nothing':
      return 'nothing: a hypothesis never leaves its agent';
  }
}

function scopeText({ space, segment }: ClaimView['scope']): string {
  return segment === null
    ? `all of ${sanitise(space, 80)}`
    : `${sanitise(segment, 200)} in ${sanitise(space, 80)}`;
}

function suspectText(claim: ClaimView, { changes }: ClaimDetail): string | undefined {
  if (!claim.suspect) return undefined;
  const latest = changes.map(
    ({ uri, changedAt }) => `${sanitise(uri, 200)} changed ${minute(changedAt)} UTC`,
  );
  return pc.red(`${latest.join('; ')}, and nobody has met the claim since`);
}

function attemptLines(attempt: AttemptView): string[] {
  const outcome = attempt.status === 'pending' ? 'open' : attempt.status;
  return [
    ...field('promotion', `attempt ${attempt.attempt}: ${outcome} (${safeId(attempt.id, 36)})`),
    ...attempt.verdicts.map(
      ({ by, verdict, basis, issuedAt }) =>
        `  ${verdict} by ${observer({ observedBy: by })}, ${minute(issuedAt)} UTC: ${sanitise(basis, BASIS_BYTES_MAX)}`,
    ),
  ];
}

const OUTCOME = { passed: pc.green, failed: pc.red, waits: pc.yellow } as const;

/** What each gate said in the last decision. */
export function decisionLines({ kind, issuedAt, gates }: DecisionView, shownId: ShownId): string[] {
  return [
    ...field('decision', `${kind}, ${minute(issuedAt)} UTC`),
    ...gates.map(({ gate, outcome, reason, has, needs, names = [] }) => {
      const counted = has === undefined || needs === undefined ? '' : ` (${has} of ${needs})`;
      const about = names.map((name) => shownId('claim', name)).join(', ');
      return `  ${gate.padEnd(13)} ${OUTCOME[outcome](outcome)}  ${REASONS[reason] ?? reason}${counted}${about === '' ? '' : `: ${about}`}`;
    }),
  ];
}

const HASH: Readonly<Record<Excerpt['found'] | 'unread', string>> = {
  matches: pc.green('matches'),
  changed: pc.red('changed: this is not the text that was cited'),
  missing: pc.yellow('not here: the session has no such message'),
  unread: pc.yellow('not here: the session is not sealed, or its parts are out of reach'),
};

/** A citation with the text that it names, as far as that can be opened here. */
export interface OpenedCitation {
  readonly citation: CitationView;
  readonly excerpt: Excerpt | undefined;
}

function citationLines({ citation, excerpt }: OpenedCitation, shownId: ShownId): string[] {
  const { session, message, range, observedAt, verdict } = citation;
  const part = range ? `, bytes ${range.start} to ${range.end}` : '';
  const against = verdict === 'contradict' ? `${pc.red('against')} ` : '';
  const text = excerpt && excerpt.found !== 'missing' ? excerpt.text : undefined;
  return [
    `  ${against}session ${shownId('session', session)}, message ${sanitise(message, 80)}${part}, ${minute(observedAt)} UTC: ${HASH[excerpt?.found ?? 'unread']}`,
    ...(text === undefined ? [] : [`    “${sanitise(text, EXCERPT_BYTES_MAX)}”`]),
  ];
}

/** A claim whole, for people. */
export function claimPage(
  claim: ClaimView,
  detail: ClaimDetail,
  opened: readonly OpenedCitation[],
  shownId: ShownId,
): string[] {
  const { fact } = detail;
  const standing = `${claim.confidence.toFixed(2)} (${support(claim)}, ${count(claim.corroborations, 'corroboration')}, ${count(claim.contradictions, 'contradiction')})`;
  const warned = caveats(claim, false).filter((one) => !one.startsWith('SUSPECT'));
  return [
    `${pc.bold(safeId(claim.id, 64))}  ${STATUS[claim.status](claim.status)}`,
    sanitise(claim.statement, 4_000),
    ...field('type', claim.claimType ?? `${sanitise(claim.kind, 20)}, of agent-knowledge`),
    ...field('subject', claim.subject.map((name) => sanitise(name, 80)).join(', ')),
    ...field('topics', claim.topics.map((name) => sanitise(name, 80)).join(', ')),
    ...field(
      'fact',
      fact &&
        `${sanitise(fact.subject, 80)} · ${sanitise(fact.predicate, 80)} = ${sanitise(String(fact.value), 200)}`,
    ),
    ...field('scope', scopeText(claim.scope)),
    ...field(
      'by',
      `${observer(claim)}, signed by ${safeId(claim.author, 20)}…, ${minute(claim.assertedAt)} UTC`,
    ),
    ...field('resolves', detail.resolvesAt && `by ${minute(detail.resolvesAt)} UTC`),
    ...field('waits for', detail.waits.map((wait) => waitText(wait, shownId)).join('; ')),
    ...field('confidence', [standing, ...warned.map((one) => pc.red(one))].join('  ')),
    ...field('last met', `${age(claim.staleness_seconds)} ago`),
    ...field('suspect', suspectText(claim, detail)),
    ...field('refs', claim.refs.map(({ uri }) => sanitise(uri, 200)).join(', ')),
    ...field('supersedes', claim.supersedes && shownId('claim', claim.supersedes)),
    ...field('superseded', detail.supersededBy && `by ${shownId('claim', detail.supersededBy)}`),
    ...field('joined', claim.joinedInto && `into ${shownId('claim', claim.joinedInto)}`),
    ...field('against', claim.against.map((id) => shownId('claim', id)).join(', ')),
    ...detail.attempts.flatMap(attemptLines),
    ...(detail.decision ? decisionLines(detail.decision, shownId) : []),
    ...(opened.length > 0 ? [pc.dim('evidence')] : []),
    ...opened.flatMap((one) => citationLines(one, shownId)),
    ...(detail.positions.length > 0 ? [pc.dim('positions')] : []),
    ...detail.positions.map(
      ({ observedBy, verdict, basis, issuedAt, stands }) =>
        `  ${verdict === 'contradict' ? pc.red(verdict) : verdict} by ${observer({ observedBy })}, ${minute(issuedAt)} UTC${stands ? '' : ' (given up since)'}: ${sanitise(basis, BASIS_BYTES_MAX)}`,
    ),
  ];
}
