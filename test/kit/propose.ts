import { toInstant } from '../../src/base/time.ts';
import { openFleet } from '../../src/fleet.ts';
import { hostIdOf } from '../../src/ledger/found.ts';
import { deposit } from '../../src/ledger/inbox.ts';
import { openHome } from '../../src/node/node.ts';
import { type ClaimBody, kindOf } from '../../src/record/claim.ts';
import { episodeIds, excerptHash } from '../../src/record/evidence.ts';
import { SPEC, seal } from '../../src/record/record.ts';

/** A message of a session, and what it says. */
export interface CitedMessage {
  readonly session: string;
  readonly message: string;
  readonly text: string;
  readonly at: string;
}

/** The environment of a machine's commands, as the library takes it. */
type Env = Readonly<Record<string, string | undefined>>;

/** Puts a claim of a home's agent into the inbox of its store; the next sync of that home commits it. Answers with nothing: its id is listed then. */
export async function proposeIn(
  env: Env,
  statement: string,
  cited: CitedMessage,
  fields: Partial<ClaimBody> = {},
): Promise<void> {
  const home = openHome({}, env);
  const agent = home.settings.agents['claude-code'] ?? '';
  const signer = home.keys.signer(`agent-${agent}`);
  const evidence = [
    {
      session_id: cited.session,
      message_id: cited.message,
      excerpt_hash: excerptHash(cited.text),
      observed_at: toInstant(Date.parse(cited.at)),
    },
  ];
  const body = {
    spec: SPEC as typeof SPEC,
    author: signer.address,
    observed_by: agent,
    scope: { space: home.readPin()?.fleetId ?? '', segment: null },
    statement,
    topics: [],
    refs: [],
    asserted_at: toInstant(home.world.now()),
    supersedes: null,
    claim_type: 'environment' as const,
    subject: [],
    evidence,
    nonce: Buffer.from(home.world.random(16)).toString('hex'),
    ...fields,
  };
  const whole = { ...body, kind: kindOf(body), episodes: episodeIds(body.evidence) };
  const host = hostIdOf(home.keys.signer('host').address);
  await deposit(home.store(), host, home.nextCounter(), [seal('claim', whole, signer)]);
}

/** Lets people review what is claimed in these segments of a home's fleet, instead of gates. */
export async function reviewedIn(env: Env, segments: readonly (string | null)[]): Promise<void> {
  const fleet = await openFleet({ env });
  for (const segment of segments)
    await fleet.setPolicy({ space: fleet.id, segment }, { mode: 'review' });
}
