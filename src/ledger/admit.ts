import { z } from 'zod';
import { canonical, parseCanonical } from '../base/canonical.ts';
import { codeOf } from '../base/errors.ts';
import { LIMIT } from '../base/limits.ts';
import { toMs } from '../base/time.ts';
import {
  AdmissionBody,
  OPEN_AGENT_ROLES,
  OPEN_HOST_ROLES,
  RepoMapBody,
  type Role,
} from '../record/fleet.ts';
import { bodyFault, type OpenedRecord, open } from '../record/record.ts';
import { HandoffBody, SessionBody } from '../record/session.ts';
import { hostIdOf } from './found.ts';
import type { AdmissionView, Principal } from './port.ts';

/** What becomes of one record of the inbox. A record that waits stays where it is, and is seen waiting. */
export type Ruling =
  | { readonly kind: 'accept'; readonly record: OpenedRecord }
  | { readonly kind: 'reject'; readonly code: string; readonly id?: string }
  | { readonly kind: 'wait'; readonly for: 'admission' | 'date'; readonly id: string }
  | { readonly kind: 'decided'; readonly id: string };

/** What may come through the inbox. Checkpoints and rejections are the committer's own; entry 1 is the only fleet record. */
const Received = z.discriminatedUnion('context', [
  z.object({ context: z.literal('admission'), body: AdmissionBody }),
  z.object({ context: z.literal('session'), body: SessionBody }),
  z.object({ context: z.literal('handoff'), body: HandoffBody }),
  z.object({ context: z.literal('repo-map'), body: RepoMapBody }),
]);
type Received = z.infer<typeof Received>;

const CONTEXTS: ReadonlySet<string> = new Set(
  Received.options.map(({ shape }) => shape.context.value),
);

/** Decides on one line of the inbox, which must be canonical JSON. Total, as {@link admit} is. */
export function admitLine(line: string, view: AdmissionView, now: number): Ruling {
  let received: unknown;
  try {
    received = parseCanonical(line);
  } catch (error) {
    return { kind: 'reject', code: codeOf(error) };
  }
  return admit(received, view, now);
}

/** Decides on one received value against the state before it. Total: whatever is received, there is a ruling. */
export function admit(received: unknown, view: AdmissionView, now: number): Ruling {
  let record: OpenedRecord;
  try {
    record = open(received);
  } catch (error) {
    return { kind: 'reject', code: codeOf(error) };
  }
  const { id, context } = record;
  if (view.isDecided(id)) return { kind: 'decided', id };
  if (!CONTEXTS.has(context)) return { kind: 'reject', code: 'record.context', id };
  const { data, error } = Received.safeParse(record);
  if (!data) return { kind: 'reject', code: bodyFault(error), id };
  const ahead = toMs(data.body.issued_at) - now;
  if (ahead > LIMIT.future_reject_ms) return { kind: 'reject', code: 'record.future', id };
  if (ahead > LIMIT.future_ms_max) return { kind: 'wait', for: 'date', id };
  const author = view.principal(record.author);
  if (!author && !(data.context === 'admission' && admitsItself(data.body, view))) {
    return { kind: 'wait', for: 'admission', id };
  }
  const code = refusal(data, author, view);
  return code === undefined ? { kind: 'accept', record } : { kind: 'reject', code, id };
}

function isSubset(roles: readonly Role[], of: readonly Role[]): boolean {
  return roles.every((role) => of.includes(role));
}

/**
 * On first sight an open fleet admits a host that asks for no more than the open roles, and a person with none: each
 * under the name that its own key gives, so that nobody speaks as another.
 */
function admitsItself(body: AdmissionBody, view: AdmissionView): boolean {
  const { address, principal, kind, operator, roles } = body;
  if (view.fleet()?.admission !== 'open' || address !== body.author) return false;
  if (kind === 'person') return roles.length === 0 && operator === address && principal === address;
  return kind === 'host' && principal === hostIdOf(address) && isSubset(roles, OPEN_HOST_ROLES);
}

function refusal(
  { context, body }: Received,
  author: Principal | undefined,
  view: AdmissionView,
): string | undefined {
  switch (context) {
    case 'admission':
      return admissionRefusal(body, author, view);
    case 'session':
      return sessionRefusal(body, author, view);
    case 'handoff':
      return handoffRefusal(body, author);
    case 'repo-map':
      return mapRefusal(body, author, view);
  }
}

/** Nobody changes a standing admission but an admin, and nobody by their own request: not even an admin's own. */
function admissionRefusal(
  body: AdmissionBody,
  author: Principal | undefined,
  view: AdmissionView,
): string | undefined {
  const known = view.principal(body.address);
  if (known && body.author === body.address) return 'admission.known';
  if (!author) return admitsItself(body, view) ? undefined : 'admission.role';
  if (author.roles.includes('admin')) return undefined;
  if (known) return 'admission.known';
  const opens =
    view.fleet()?.admission === 'open' &&
    author.kind === 'host' &&
    body.kind === 'agent' &&
    body.operator === author.operator &&
    isSubset(body.roles, OPEN_AGENT_ROLES);
  return opens ? undefined : 'admission.role';
}

function sessionRefusal(
  body: SessionBody,
  author: Principal | undefined,
  view: AdmissionView,
): string | undefined {
  if (!author?.roles.includes('capture')) return 'session.role';
  // Maintenance, by a host that may commit, seals what a host that has gone left behind.
  const mayFor = author.principal === body.host || author.roles.includes('commit');
  if (author.kind !== 'host' || !mayFor) return 'session.host';
  if (Buffer.byteLength(canonical(body.digest)) > LIMIT.digest_bytes_max)
    return 'session.digest_size';
  // A number that was passed over (its record was refused, or came too late) must not lock the session out for ever.
  return body.revision > view.revision(body.session) ? undefined : 'session.revision_taken';
}

function handoffRefusal(body: HandoffBody, author: Principal | undefined): string | undefined {
  if (!author?.roles.includes('propose')) return 'handoff.role';
  return author.kind === 'agent' && author.principal === body.agent ? undefined : 'handoff.agent';
}

/** In an open fleet every host may map any session; elsewhere a host maps its own, and an admin all. */
function mapRefusal(
  body: RepoMapBody,
  author: Principal | undefined,
  view: AdmissionView,
): string | undefined {
  if (author?.roles.includes('admin')) return undefined;
  if (author?.kind !== 'host' || !author.roles.includes('capture')) return 'repo_map.role';
  const own = body.host === author.principal;
  return own || view.fleet()?.admission === 'open' ? undefined : 'repo_map.role';
}
