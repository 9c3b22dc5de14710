import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { toInstant, toMs } from '../base/time.ts';
import { noteTrouble, type Trouble } from '../base/trouble.ts';
import { issuedAt } from '../digest/issued-at.ts';
import { recordId, type SignedRecord, seal } from '../record/record.ts';
import { claimBodyOf, endorsementBodyOf, type Found, type Places, type Speaker } from './body.ts';
import { resolveCitation } from './citation.ts';
import type { ProposalDraft } from './draft.ts';
import type { ClaimsOnFile, MessagesOf, Proposals } from './port.ts';

/** A session that nobody has heard of in this time, since a draft named it, is not there. */
const UNHEARD_MS = 24 * 3_600_000;

/** What sending works with. */
export interface SendParts extends Places {
  readonly fleetId: string;
  readonly now: number;
  readonly signerOfAgent: (agent: string) => Signer;
  readonly messagesOf: MessagesOf;
  readonly onFile: ClaimsOnFile;
}

/** What was sent of a draft, by the id that the ledger will decide about. */
export interface SentDraft {
  readonly name: string;
  readonly draft: ProposalDraft;
  readonly id: string;
}

/** Finds what a draft cites; undefined where some of it may still come. Throws `citation.*` for what is not there. */
async function foundOf(draft: ProposalDraft, parts: SendParts): Promise<Found[] | undefined> {
  const found: Found[] = [];
  for (const cited of draft.evidence) {
    const captured = await parts.messagesOf(cited.session_id);
    if (!captured) {
      if (parts.now - toMs(draft.written_at) < UNHEARD_MS) return undefined;
      throw wrong('citation.session', `no session ${cited.session_id} was captured`);
    }
    const resolved = resolveCitation(cited, captured);
    if (resolved.kind === 'waits') return undefined;
    if (resolved.kind === 'refused') throw wrong(resolved.code, resolved.message);
    found.push(resolved);
  }
  return found;
}

function wrong(code: string, message: string): CredenceError {
  return new CredenceError('incorrect', code, message);
}

/** What of a draft is signed: itself, or, where the same is claimed already, a position on that. */
function bodyOf(draft: ProposalDraft, found: readonly Found[], by: Speaker, parts: SendParts) {
  if (draft.kind === 'endorsement') {
    return { context: 'endorsement', body: endorsementBodyOf(draft, found, by) } as const;
  }
  const body = claimBodyOf(draft, found, by, parts);
  const known = parts.onFile.isKnown(recordId('claim', body))
    ? undefined
    : parts.onFile.same(draft);
  if (!known) return { context: 'claim', body } as const;
  const position = {
    claim_id: known.id,
    verdict: 'corroborate',
    basis: draft.statement,
    written_at: draft.written_at,
  } as const;
  return { context: 'endorsement', body: endorsementBodyOf(position, found, by) } as const;
}

/** The same draft, dated anew where the clock that dated it was ahead. */
function datedBy(draft: ProposalDraft, now: number): ProposalDraft {
  const written_at = issuedAt(toMs(draft.written_at), now);
  return written_at === draft.written_at ? draft : { ...draft, written_at };
}

/**
 * Finds the evidence of each waiting draft, signs it with its agent's key and sends it; it leaves the queue only once the
 * store has it. One whose evidence may still come waits; one whose evidence is not there is refused, and shown as such.
 */
export async function sendProposals(
  proposals: Proposals,
  parts: SendParts,
  send: (record: SignedRecord) => Promise<void>,
  troubles: Trouble[],
): Promise<SentDraft[]> {
  const sent: SentDraft[] = [];
  for (const { name, draft: written } of proposals.list()) {
    try {
      const draft = datedBy(written, parts.now);
      // Kept first, so that a draft that is sent again gives the same record.
      if (draft !== written) proposals.add(name, draft);
      const found = await foundOf(draft, parts);
      if (!found) continue;
      const signer = parts.signerOfAgent(draft.agent);
      const by = { address: signer.address, agent: draft.agent, space: parts.fleetId };
      const { context, body } = bodyOf(draft, found, by, parts);
      await send(seal(context, body, signer));
      sent.push({ name, draft, id: recordId(context, body) });
      proposals.remove(name);
    } catch (error) {
      noteTrouble(troubles, `proposals/${name}.json`, error);
      if (error instanceof CredenceError && error.code.startsWith('citation.')) {
        const { code, message } = error;
        proposals.refuse({ name, draft: written, code, message, at: toInstant(parts.now) });
      }
    }
  }
  return sent;
}
