import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { CredenceError } from '../src/base/errors.ts';
import { toInstant } from '../src/base/time.ts';
import { openFsStore } from '../src/io/fs-store.ts';
import { openKeyring } from '../src/io/keys.ts';
import { secretKey } from '../src/lake/layout.ts';
import { hostIdOf } from '../src/ledger/found.ts';
import { deposit } from '../src/ledger/inbox.ts';
import { readLive } from '../src/node/node.ts';
import { type Parts, sync } from '../src/pipeline.ts';
import { certificateOf } from '../src/query/erasure.ts';
import { recordId, SPEC, seal } from '../src/record/record.ts';
import { readerOf } from '../src/snapshot/database.ts';
import { erase, planErasure } from '../src/verbs/erasure.ts';
import { stillWorld, tempFolder } from './kit/home.ts';
import { type Joined, joined } from './kit/joined.ts';

// A home is opened anew for each step.
vi.setConfig({ testTimeout: 120_000 });

const START = Date.UTC(2026, 0, 5, 12);
const TEXT = 'the Lindqvist account is 4711';

/** Two machines of one fleet, in folders of real files. */
async function fleet() {
  const folder = tempFolder('erasure');
  const world = stillWorld(START);
  const store = openFsStore(join(folder, 'lake'), { make: true });
  const ann = await joined(join(folder, 'ann'), 'ann', store, world);
  const bob = await joined(join(folder, 'bob'), 'bob', store, world);
  return { folder, world, store, ann, bob };
}

function noteOf(home: Joined['home'], agent: string, summary: string, session = 's1') {
  const signer = home.keys.signer(`agent-${agent}`);
  const body = {
    ...{ spec: SPEC, author: signer.address, issued_at: toInstant(START), session, agent },
    ...{ runtime: 'claude-code', host: hostIdOf(home.keys.signer('host').address) },
    ...{ repo: 'github.com/acme/web', status: 'partial', summary },
  };
  return seal('handoff', body, signer);
}

async function send(parts: Parts, ...records: Parameters<typeof deposit>[3]): Promise<void> {
  await deposit(parts.store, parts.identity.hostId, parts.nextCounter(), records);
  await sync(parts);
}

/** The files below a folder that hold a text, in any of their bytes. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text))
    .map((path) => path.slice(folder.length + 1));
}

describe('a note that is erased', () => {
  test('is in no byte of the store and of the homes that followed, and cannot come back', async () => {
    const { folder, ann, bob } = await fleet();
    const note = noteOf(ann.home, 'ann', TEXT);
    await bob.run(sync);
    await ann.run((parts) => send(parts, note));
    await bob.run(sync);
    const held = filesWith(folder, TEXT).map((path) => path.split('/').slice(0, 3).join('/'));
    expect(held.some((path) => path.startsWith('lake/ledger'))).toBe(true);
    expect(held).toContain('ann/.credence/brief');
    expect(held).toContain('bob/.credence/brief');
    const id = recordId('handoff', note.body);
    const erasure = await ann.run(async (parts) => {
      const plan = await planErasure(parts, [id.slice(0, 12)]);
      expect(plan.targets.map(({ context, text }) => [context, text])).toEqual([['handoff', TEXT]]);
      expect(plan.tombstones).toHaveLength(2);
      return erase(parts, plan, 'asked for', ann.home.keys.signer('person'));
    });
    expect(filesWith(join(folder, 'ann'), TEXT)).toEqual([]);
    expect(filesWith(join(folder, 'lake'), TEXT)).toEqual([]);
    const certificate = (who: Joined) =>
      who.run((parts) => certificateOf(parts.state, parts.store, readLive(who.home), erasure));
    const passed = async () =>
      new Map((await certificate(ann)).machines.map((one) => [one.host, one.passed]));
    const [annHost, bobHost] = [ann, bob].map(({ home }) =>
      hostIdOf(home.keys.signer('host').address),
    );
    expect(await passed()).toEqual(
      new Map([
        [annHost, true],
        [bobHost, false],
      ]),
    );
    expect((await certificate(ann)).removed).toMatchObject([{ context: 'handoff' }]);
    expect((await certificate(ann)).removed[0]?.commit).toBeGreaterThan(1);
    await bob.run(sync);
    expect(filesWith(folder, TEXT)).toEqual([]);
    await ann.run(sync);
    expect(await passed()).toEqual(
      new Map([
        [annHost, true],
        [bobHost, true],
      ]),
    );
    // By a member that was handed the secret, too.
    const copy = noteOf(ann.home, 'ann', TEXT.toUpperCase(), 's2');
    await bob.run((parts) => send(parts, note, copy));
    expect(filesWith(folder, TEXT)).toEqual([]);
    const codes = await bob.run(async ({ state }) =>
      readerOf(state)
        .where('decided')
        .flatMap(({ code }) => code ?? []),
    );
    expect(codes).toEqual(['content.erased', 'content.erased']);
    for (const home of ['ann', 'bob'])
      expect(existsSync(join(folder, home, '.credence', 'state.sqlite'))).toBe(true);
  });

  test('takes an admin, the author or whoever answers for them, and is not erased twice', async () => {
    const { ann, bob } = await fleet();
    const note = noteOf(ann.home, 'ann', TEXT);
    await bob.run(sync);
    await ann.run((parts) => send(parts, note));
    const eraseBy = (who: Joined) =>
      who.run(async (parts) =>
        erase(
          parts,
          await planErasure(parts, [recordId('handoff', note.body)]),
          'because',
          who.home.keys.signer('person'),
        ),
      );
    await expect(eraseBy(bob)).rejects.toMatchObject({ code: 'erasure.role' });
    const mine = noteOf(bob.home, 'bob', 'mine');
    await bob.run((parts) => send(parts, mine));
    const refs = [recordId('handoff', mine.body)];
    await bob.run(async (parts) => {
      const plan = await planErasure(parts, refs);
      const { seq } = plan.targets[0] ?? { seq: 0 };
      await erase(parts, plan, 'my own', bob.home.keys.signer('person'));
      const error = await planErasure(parts, [String(seq)]).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(CredenceError);
      expect(error).toMatchObject({ code: 'erasure.repeated' });
      await expect(planErasure(parts, ['1'])).rejects.toMatchObject({ code: 'erasure.context' });
    });
    await eraseBy(ann);
  });
});

describe('the secret of a fleet', () => {
  test('is drawn by its founder, and handed to who joins, sealed', async () => {
    const { folder, store, ann, bob } = await fleet();
    const entry = ann.home.readPin()?.entry ?? '';
    const secretOf = ({ home }: Joined) => home.keys.fleetSecret(entry);
    expect([secretOf(ann)?.length, secretOf(bob)]).toEqual([32, undefined]);
    await bob.run(sync);
    expect(secretOf(bob)).toBeUndefined();
    await ann.run(sync);
    const key = secretKey(hostIdOf(bob.home.keys.signer('host').address));
    const sealed = Buffer.from((await store.get(key)) ?? []);
    expect(sealed.toString()).not.toContain(
      Buffer.from(secretOf(ann) ?? [])
        .toString('base64')
        .slice(0, 20),
    );
    // One that was altered is as none.
    await store.put(key, Buffer.from(sealed.toString().replace('"sealed":"', '"sealed":"A')));
    await bob.run(sync);
    expect(secretOf(bob)).toBeUndefined();
    await store.put(key, sealed);
    await bob.run(sync);
    expect(secretOf(bob)).toEqual(secretOf(ann));
    expect(filesWith(folder, Buffer.from(secretOf(ann) ?? []).toString('latin1'))).toEqual([]);
  });

  test('lies in a file of its own, which others may not read, and stays as it is', async () => {
    const folder = tempFolder('keyring');
    const keys = openKeyring(folder);
    const fleet = 'ab'.repeat(32);
    expect(keys.fleetSecret(fleet)).toBeUndefined();
    keys.keepFleetSecret(fleet);
    const drawn = keys.fleetSecret(fleet);
    keys.keepFleetSecret(fleet, Buffer.alloc(32));
    expect(keys.fleetSecret(fleet)).toEqual(drawn);
    const path = join(folder, 'keys', `fleet-${'ab'.repeat(8)}.secret`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(keys.fleetSecret('cd'.repeat(32))).toBeUndefined();
  });
});
