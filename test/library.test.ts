import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Signer } from '../src/base/ed25519.ts';
import { toInstant } from '../src/base/time.ts';
import {
  type FleetOptions,
  type Keys,
  memoryStore,
  type ObjectStore,
  openFleet,
  probeStore,
} from '../src/fleet.ts';
import { deposit } from '../src/ledger/inbox.ts';
import { OPEN_HOST_ROLES } from '../src/record/fleet.ts';
import { seal } from '../src/record/record.ts';
import { verifyGrowth, verifyProof } from '../src/verify.ts';
import { everyOperation, faultSweep } from './kit/flaky-store.ts';
import { admissionBody, keyOf } from './kit/fleet.ts';
import { tempFolder } from './kit/home.ts';
import { auditLedger } from './kit/member.ts';

vi.setConfig({ testTimeout: 60_000 });

const scope = { space: 'lab', segment: null };
const claim = (statement: string) => ({ scope, kind: 'semantic', statement }) as const;
const code = (text: string) => expect.objectContaining({ code: text });
const HOUR = 3_600_000;

/** The keys of a program that is called so: the same ones each time. */
const keysOf = (name: string): Keys => ({ signer: (key) => keyOf(`${name} ${key}`) });

async function open(options: FleetOptions) {
  const fleet = await openFleet(options);
  onTestFinished(() => fleet.close());
  return fleet;
}

async function keysIn(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list('')) keys.push(key);
  return keys;
}

describe('a fleet in a store of its own', () => {
  test('needs no home: what one says the others read, each by its own key', async () => {
    const store = memoryStore();
    const ann = await open({ store, agent: 'ann' });
    const bob = await open({ store, agent: 'bob' });
    expect([ann.id, bob.id]).toEqual(['local', 'local']);
    expect(ann.address).not.toBe(bob.address);
    const { claim: id } = await ann.propose(claim('The cache is warm'));
    await bob.endorse(id, { verdict: 'contradict', basis: 'it was cold' });
    expect(await ann.claim(id)).toMatchObject({ author: ann.address, contradictions: 1 });
    expect((await bob.brief(scope, { task: 'cache' })).conflicts).toEqual([id]);
    await expect(bob.setPolicy(scope, { mode: 'review' })).rejects.toThrow(code('policy.role'));
    await ann.setPolicy(scope, { mode: 'review' });
    const pending = await bob.propose(claim('The build is slow'));
    await expect(bob.review(pending.id, 'approve', '')).rejects.toThrow(code('verdict.own'));
    expect(await ann.review(pending.id, 'approve', '')).toMatchObject({ status: 'accepted' });
    expect(await bob.sessions()).toEqual([]);
  });

  test('in memory is nobody else’s', async () => {
    const [one, two] = [await open({ store: 'memory:' }), await open({ store: 'memory:' })];
    const { claim: id } = await one.propose(claim('x'));
    expect(await two.claim(id)).toBeUndefined();
  });

  test('in a folder is there for the next program', async () => {
    const store = `file://${join(tempFolder('library'), 'a', 'lake')}`;
    const first = await open({ store, fleetId: 'tide', keys: keysOf('ann') });
    const { claim: id } = await first.propose(claim('x'));
    const second = await open({ store });
    expect(second.id).toBe('tide');
    expect(await second.claim(id)).toMatchObject({ author: first.address });
    await expect(openFleet({ store, fleetId: 'pool' })).rejects.toThrow(code('fleet.other'));
  });

  test.each<[string, object, string]>([
    ['a store that is no URL', { store: 'lake' }, 'library.store'],
    ['a scheme that is not known', { store: 's3://bucket' }, 'library.store'],
    ['an object that is no store', { store: { get() {} } }, 'library.store'],
    ['null', { store: null }, 'library.store'],
    ['an agent that is a path', { store: 'memory:', agent: '../x' }, 'library.option'],
    ['a fleet without a name', { store: 'memory:', fleetId: '' }, 'library.option'],
  ])('refuses %s', async (_what, options, expected) => {
    await expect(openFleet(options as FleetOptions)).rejects.toThrow(code(expected));
  });

  test('refuses at once what is dated ahead, whichever verb says it, and stores nothing of it', async () => {
    const store = memoryStore();
    const fleet = await open({ store });
    const { claim: id } = await fleet.propose(claim('x'));
    const before = await keysIn(store);
    const later = toInstant(Date.now() + HOUR);
    const seen = { scope, kind: 'outcome', content: 'x' } as const;
    for (const said of [
      () => fleet.observe({ ...seen, occurredAt: later }),
      () => fleet.propose({ ...claim('y'), assertedAt: later }),
      () => fleet.endorse(id, { verdict: 'corroborate', basis: '', issued_at: later }),
      () => fleet.invalidate('lab', 'repo://x', later),
    ])
      await expect(said()).rejects.toThrow(code('record.future'));
    expect(await keysIn(store)).toEqual(before);
  });
});

describe('a closed fleet', () => {
  const founded = async () => {
    const store = memoryStore();
    const fleet = await open({ store, admission: 'closed', keys: keysOf('ann') });
    return { store, fleet };
  };

  test('admits the agents of its founder, with all that agents may', async () => {
    const { store, fleet } = await founded();
    const other = await open({ store, agent: 'other', keys: keysOf('ann') });
    await fleet.setPolicy(scope, { mode: 'review' });
    const { id } = await fleet.propose(claim('x'));
    expect(await other.review(id, 'approve', '')).toMatchObject({ status: 'accepted' });
  });

  test('tells others whom an admin has to admit, and keeps nothing of them; then they are in', async () => {
    const { store, fleet } = await founded();
    const before = await keysIn(store);
    const bob = keysOf('bob');
    const [host, agent] = [bob.signer('host'), bob.signer('agent-library')];
    await expect(openFleet({ store, keys: bob })).rejects.toMatchObject({
      code: 'fleet.closed',
      data: { addresses: [host.address, agent.address] },
      message: expect.stringContaining(agent.address),
    });
    expect(await keysIn(store)).toEqual(before);
    const admin = keysOf('ann').signer('person');
    const admit = (of: Signer, kind: 'host' | 'agent', roles: readonly string[]) => {
      const issued_at = toInstant(Date.now());
      const fields = { kind, roles: [...roles].sort() as never, issued_at };
      return seal('admission', admissionBody(admin, of.address, fields), admin);
    };
    const records = [admit(host, 'host', OPEN_HOST_ROLES), admit(agent, 'agent', ['propose'])];
    await deposit(store, 'ann', 1, records);
    await fleet.propose(claim('x'));
    const joined = await open({ store, keys: bob });
    expect(await joined.propose(claim('y'))).toMatchObject({ status: 'accepted' });
    // Who is in admits nobody: another agent of theirs is asked for, too.
    const stored = await keysIn(store);
    const second = bob.signer('agent-second').address;
    await expect(openFleet({ store, agent: 'second', keys: bob })).rejects.toMatchObject({
      code: 'fleet.closed',
      data: { addresses: [second] },
    });
    expect(await keysIn(store)).toEqual(stored);
    // A host that was admitted to read alone can't commit what its agents say.
    const eve = keysOf('eve');
    await deposit(store, 'ann', 2, [
      admit(eve.signer('host'), 'host', ['capture']),
      admit(eve.signer('agent-library'), 'agent', ['propose']),
    ]);
    await fleet.propose(claim('z'));
    await expect(openFleet({ store, keys: eve })).rejects.toThrow(code('fleet.role'));
  });
});

test('many who open one store at once found one fleet, lose nothing, and decide each promotion once', async () => {
  const store = memoryStore();
  const agents = [0, 1, 2, 3];
  const fleets = await Promise.all(agents.map((i) => open({ store, agent: `a${i}` })));
  const statements = agents.flatMap((i) => [1, 2, 3].map((n) => ({ i, text: `${i} says ${n}` })));
  const said = await Promise.all(statements.map(({ i, text }) => fleets[i]?.propose(claim(text))));
  expect(new Set(said.map((one) => one?.claim)).size).toBe(12);
  const roles = await Promise.all(
    fleets.map((fleet) =>
      fleet.setPolicy(scope, { mode: 'review' }).then(
        () => 'admin',
        (error: { code: string }) => error.code,
      ),
    ),
  );
  expect(roles.sort()).toEqual(['admin', 'policy.role', 'policy.role', 'policy.role']);
  const [proposer, ...reviewers] = fleets;
  const pending = await proposer?.propose(claim('decided once'));
  const verdicts = await Promise.allSettled(
    reviewers.map((fleet, i) =>
      fleet.review(pending?.id ?? '', i % 2 === 0 ? 'approve' : 'reject', ''),
    ),
  );
  expect(verdicts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const verdict of verdicts)
    if (verdict.status === 'rejected')
      expect(verdict.reason).toMatchObject({ code: 'promotion.decided' });
  const { records } = await auditLedger(store, 'local');
  expect(records.filter(({ context }) => context === 'fleet')).toHaveLength(1);
  expect(records.filter(({ context }) => context === 'claim')).toHaveLength(13);
  expect(records.filter(({ context }) => context === 'verdict')).toHaveLength(1);
  for (const fleet of fleets) expect(await fleet.claims('lab')).toHaveLength(13);
});

test('whatever the store fails at, the next program opens the fleet, and finds what was said, once', async () => {
  const keys = keysOf('ann');
  const at = toInstant(Date.now());
  const run = async (store: ObjectStore) => {
    const fleet = await openFleet({ store, keys });
    await fleet.propose({ ...claim('x'), assertedAt: at });
    await fleet.close();
  };
  await faultSweep(run, memoryStore, async (store) => {
    const { records } = await auditLedger(store, 'local');
    const contexts = records.map(({ context }) => context).sort();
    expect(contexts).toEqual(['admission', 'claim', 'fleet']);
  });
});

describe('a cache', () => {
  test('follows from where the process before left off', async () => {
    const store = memoryStore();
    const cache = join(tempFolder('cache'), 'lab');
    const keys = keysOf('ann');
    const before = await openFleet({ store, cache, keys });
    for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) await before.propose(claim(text));
    const { n } = await before.head();
    await before.close();
    const { store: watched, operations } = everyOperation(store);
    const after = await open({ store: watched, cache, keys });
    expect(await after.claims('lab')).toHaveLength(6);
    const reads = operations.filter(
      ({ operation, key }) => operation === 'get' && /^ledger/.test(key),
    );
    expect(new Set(reads.map(({ key }) => key)).size).toBeLessThan(n);
    // The number of what it says goes on, too.
    expect((await after.propose(claim('g'))).status).toBe('accepted');
  });

  test('stays with its fleet', async () => {
    const cache = tempFolder('cache');
    const store = memoryStore();
    await (await openFleet({ store, cache })).close();
    const other = memoryStore();
    await expect(openFleet({ store: other, cache })).rejects.toThrow(code('fleet.missing'));
    expect(await keysIn(other)).toEqual([]);
    await (await openFleet({ store: other })).close();
    await expect(openFleet({ store: other, cache })).rejects.toThrow(code('fleet.pin'));
    const lake = join(cache, 'gone');
    const kept = join(cache, 'kept');
    await (await openFleet({ store: `file://${lake}`, cache: kept })).close();
    rmSync(lake, { recursive: true });
    await expect(openFleet({ store: `file://${lake}`, cache: kept })).rejects.toThrow(
      code('store.gone'),
    );
    expect(existsSync(lake)).toBe(false);
  });

  test('that is damaged is built again, also while it is in use', async () => {
    const cache = tempFolder('cache');
    const store = memoryStore();
    const keys = keysOf('ann');
    const path = join(cache, 'state.sqlite');
    const fleet = await openFleet({ store, cache, keys });
    await fleet.propose(claim('x'));
    await fleet.close();
    for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    writeFileSync(path, 'no database');
    const again = await openFleet({ store, cache, keys });
    expect(await again.claims('lab')).toHaveLength(1);
    await again.propose({ ...claim('y'.repeat(60_000)) });
    await again.close();
    // The pages at its end, which nobody looks at before they are read.
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(1, 3 * 8_192));
    const third = await open({ store, cache, keys });
    expect(await third.claims('lab')).toHaveLength(2);
    expect((await third.propose(claim('z'))).status).toBe('accepted');
  });

  test('is shared by several at once', async () => {
    const store = memoryStore();
    const cache = tempFolder('cache');
    const fleets = await Promise.all(
      ['a', 'b'].map((agent) => open({ store, cache, agent, keys: keysOf('ann') })),
    );
    const texts = [...'uvwxyz'];
    await Promise.all(texts.map((text, i) => fleets[i % 2]?.propose(claim(text))));
    expect(await fleets[0]?.claims('lab')).toHaveLength(6);
    expect((await fleets[1]?.verify())?.fault).toBeUndefined();
  });
});

test('keys in a folder stay the same; under a passphrase nobody else speaks by them', async () => {
  const keys = tempFolder('library-keys');
  const store = memoryStore();
  const first = await open({ store, keys, passphrase: 'tide and pool' });
  await first.propose(claim('x'));
  const second = await open({ store, keys, passphrase: 'tide and pool' });
  expect(second.address).toBe(first.address);
  await second.propose(claim('y'));
  const without = await open({ store, keys });
  expect(await without.claims('lab')).toHaveLength(2);
  await expect(without.propose(claim('z'))).rejects.toThrow(code('key.sealed'));
  const wrong = await open({ store, keys, passphrase: 'tide or pool' });
  await expect(wrong.propose(claim('z'))).rejects.toThrow(code('key.passphrase'));
});

describe('positions', () => {
  test('are proved to whoever asks, offline, and any change of the store shows', async () => {
    const store = memoryStore();
    const fleet = await open({ store });
    const { claim: id } = await fleet.propose(claim('x'));
    const seen = await fleet.head();
    const proof = await fleet.prove(id.slice(0, 12));
    expect(verifyProof(proof)).toMatchObject({ id, context: 'claim', author: fleet.address });
    await fleet.propose(claim('y'));
    const growth = verifyGrowth(await fleet.proveGrowth(seen.checkpoint));
    expect(growth.from).toMatchObject({ n: seen.n, root: seen.root });
    expect(growth.to).toMatchObject({ size: (await fleet.head()).size });
    const heard: number[] = [];
    const audit = await fleet.verify((n) => void heard.push(n));
    expect(audit).toMatchObject({ fleetId: 'local', commits: growth.to.n, fault: undefined });
    expect(heard.at(-1)).toBe(audit.commits);
    await expect(fleet.prove('ffff')).rejects.toThrow(code('entry.missing'));
    const [last = ''] = (await keysIn(store)).filter((key) => key.startsWith('ledger/')).slice(-1);
    await store.put(last, Buffer.from('{}\n'));
    expect((await fleet.verify()).fault).toMatchObject({ commit: audit.commits });
  });
});

describe('closing', () => {
  test('waits for what runs, and refuses what comes after it', async () => {
    const store = memoryStore();
    const fleet = await openFleet({ store });
    const said = [
      fleet.propose(claim('x')),
      fleet.observe({ scope, kind: 'outcome', content: 'x' }),
    ];
    await Promise.all([fleet.close(), fleet.close()]);
    await expect(Promise.all(said)).resolves.toHaveLength(2);
    await expect(fleet.claims('lab')).rejects.toThrow(code('fleet.shut'));
    await fleet.close();
  });

  test('comes with the end of a block', async () => {
    const store = memoryStore();
    let kept: Awaited<ReturnType<typeof openFleet>>;
    {
      await using fleet = await openFleet({ store });
      kept = fleet;
    }
    await expect(kept.claims('lab')).rejects.toThrow(code('fleet.shut'));
  });
});

describe('a store of one’s own', () => {
  test('is tried by its promises, and a broken one is told', async () => {
    expect((await probeStore(memoryStore())).filter(({ ok }) => !ok)).toEqual([]);
    const broken = Object.assign(memoryStore(), { putIfAbsent: async () => true });
    const failed = (await probeStore(broken)).filter(({ ok }) => !ok).map(({ name }) => name);
    expect(failed).toContain('put-if-absent');
    expect(failed).toContain('race');
  });
});

test('a folder whose name has signs that a URL escapes', async () => {
  const folder = join(tempFolder('library'), 'a b%c');
  mkdirSync(folder);
  const fleet = await open({ store: `file://${folder.replaceAll('%', '%25')}` });
  await fleet.propose(claim('x'));
  expect(existsSync(join(folder, 'ledger'))).toBe(true);
});
