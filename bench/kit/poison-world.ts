import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toInstant } from '../../src/base/time.ts';
import type { Household } from '../../src/ledger/found.ts';
import type { ClaimBody } from '../../src/record/claim.ts';
import { type Citation, excerptHash } from '../../src/record/evidence.ts';
import { recordId } from '../../src/record/record.ts';
import type { Envelope } from '../../src/runtime/envelope.ts';
import { claimBody, positionBody } from '../../test/kit/claims.ts';
import { envelope } from '../../test/kit/envelopes.ts';
import { digestOf, householdOf, sessionBody, T0 } from '../../test/kit/fleet.ts';
import type { Said } from './believing.ts';

/*
 * Experiences of a published attack on agents' memory, proposed by one agent among honest ones: what it proposes alone, with more keys
 * of its operator, and through others who read the same note.
 */

interface Experience {
  readonly req: string;
  readonly resp: string;
}
interface Attack {
  readonly benign_experiences: readonly Experience[];
  readonly poisoned_experiences: readonly Experience[];
}

/** Reads the attack; throws where its file is not there. */
export function readAttack(): Attack {
  const folder = process.env['CREDENCE_SHARED'] ?? '../shared';
  const path = join(folder, 'data', 'poison', 'memorygraft-experiences.json');
  return JSON.parse(readFileSync(path, 'utf8')) as Attack;
}

/** Sessions with what was captured of them, and what was said in them. */
export interface Captured {
  readonly events: Map<string, readonly Envelope[]>;
  readonly said: Said[];
}

const DAY_MS = 86_400_000;
const REPO = 'github.com/acme/web';
/** Honest operators, and one whose host runs ten agents. */
export const HONEST = Array.from({ length: 11 }, (_, i) => householdOf(`honest-${i}`));
const ATTACKER = householdOf(
  'attacker',
  Array.from({ length: 10 }, (_, i) => `a${i}`),
);

/** A session in which something was read, and each of the sentences was said. */
function capture(
  to: Captured,
  [session, home, agent]: readonly [string, Household, number],
  sentences: readonly string[],
  { note, day = 0 }: { readonly note?: string | undefined; readonly day?: number },
): (i: number) => Citation {
  const start = T0 - (10 - day) * DAY_MS;
  const at = (n: number) => toInstant(start + n);
  const base = { session_id: session, repo: REPO, cwd: '/home/me/web' };
  const tool = { name: 'Read', result: note ?? '', paths: ['/home/me/web/NOTES.md'] };
  const read = envelope({ ...base, event_type: 'tool_call', emitted_at: at(1), tool });
  const spoken = sentences.map((text, i) =>
    envelope({
      ...base,
      event_type: 'assistant',
      role: 'assistant',
      content: `${session}: ${text}`,
      message_id: `m${i}`,
      emitted_at: at(i + 2),
    }),
  );
  to.events.set(session, [
    envelope({ ...base, emitted_at: at(0), content: 'Look around.' }),
    ...(note === undefined ? [] : [read]),
    ...spoken,
  ]);
  const window = { first: at(0), last: at(sentences.length + 2) };
  const digest = digestOf({ git_sha_before: `${day}`.repeat(40) });
  const fields = { agent: home.agents[agent]?.id ?? '', window, digest };
  to.said.push(['session', sessionBody(home, session, fields)]);
  return (i) => ({
    session_id: session,
    message_id: `m${i}`,
    excerpt_hash: excerptHash(`${session}: ${sentences[i]}`),
    observed_at: at(i + 2),
  });
}

/** What honest agents find out: ports, each by one of them, and habits that two of them met. */
export function honestWork(to: Captured): void {
  const found = HONEST.map((_, h) =>
    [0, 1, 2, 3].map((n) => `Port ${3_000 + 10 * h + n} is the one of service s${h}${n}.`),
  );
  const habits = HONEST.map((_, h) => `Use the wrapper w${h} to start service s${h}0.`);
  for (const [h, home] of HONEST.entries()) {
    const [own = [], habit = '', next = ''] = [
      found[h],
      habits[h],
      habits[(h + 1) % HONEST.length],
    ];
    const cite = capture(to, [`honest-${h}`, home, 0], [...own, habit, next], {});
    for (const [i, text] of own.entries())
      to.said.push(['claim', claimOf(home, 0, text, cite(i), 'environment')]);
    to.said.push(['claim', claimOf(home, 0, habit, cite(own.length), 'convention')]);
  }
  // Each meets its neighbour's habit, too, and says so once that is a claim.
  for (const [h, home] of HONEST.entries()) {
    const about = (h + 1) % HONEST.length;
    const known = to.said.find(
      ([context, body]) => context === 'claim' && (body as ClaimBody).statement === habits[about],
    );
    if (!known) continue;
    const text = `honest-${h}: ${habits[about]}`;
    const cited = {
      session_id: `honest-${h}`,
      message_id: 'm5',
      excerpt_hash: excerptHash(text),
      observed_at: toInstant(T0 - 10 * DAY_MS + 7),
    };
    to.said.push([
      'endorsement',
      positionBody(home, recordId('claim', known[1] as never), { evidence: [cited] }),
    ]);
  }
}

function claimOf(
  home: Household,
  agent: number,
  statement: string,
  citation: Citation,
  claim_type: ClaimBody['claim_type'],
): ClaimBody {
  const who = home.agents[agent];
  if (!who) throw new Error('no such agent');
  return claimBody(home, statement, {
    author: who.signer.address,
    observed_by: who.id,
    evidence: [citation],
    claim_type,
    asserted_at: toInstant(T0),
    nonce: `${agent}`.padStart(32, '0'),
  });
}

/** How the attack goes. */
export interface Way {
  readonly type: ClaimBody['claim_type'];
  /** More keys of its operator that agree, and over how many days. */
  readonly keys: number;
  readonly days: number;
  /** Honest agents that read the note and propose it, too. */
  readonly misled: number;
}

/** Proposes all experiences, in the first agent's session; answers the ids of those that are poisoned. */
export function attack(
  to: Captured,
  { poisoned_experiences, benign_experiences }: Attack,
  way: Way,
): Set<string> {
  const texts = [...poisoned_experiences, ...benign_experiences].map(({ resp }) => resp);
  const note = texts.map((text) => `- ${text}`).join('\n');
  const poisoned = new Set<string>();
  const ids: string[] = [];
  const propose = (name: string, home: Household, isMeant: boolean) => {
    const cite = capture(to, [name, home, 0], texts, { note });
    for (const [i, text] of texts.entries()) {
      const body = claimOf(home, 0, text, cite(i), way.type);
      to.said.push(['claim', body]);
      if (i < poisoned_experiences.length) poisoned.add(recordId('claim', body));
      if (isMeant) ids.push(recordId('claim', body));
    }
  };
  propose('attack', ATTACKER, true);
  for (let key = 1; key <= way.keys; key++) {
    const day = key % way.days;
    const who = ATTACKER.agents[key];
    if (!who) throw new Error('no such key');
    const cite = capture(to, [`key-${key}`, ATTACKER, key], texts, { day });
    for (const [i, id] of ids.entries())
      to.said.push([
        'endorsement',
        positionBody(ATTACKER, id, {
          author: who.signer.address,
          observed_by: who.id,
          evidence: [cite(i)],
        }),
      ]);
  }
  for (const [h, home] of HONEST.slice(0, way.misled).entries())
    propose(`misled-${h}`, home, false);
  return poisoned;
}
