import { canonical, parseCanonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import type { Keyring } from '../base/keyring.ts';
import { openBox, sealBox } from '../base/sealed-box.ts';
import { toInstant } from '../base/time.ts';
import type { World } from '../base/world.ts';
import type { ErasureTables } from '../fold/erasure-rows.ts';
import { principalOf } from '../fold/view.ts';
import { secretKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { hostIdOf } from '../ledger/found.ts';
import { open, SPEC, seal } from '../record/record.ts';
import { SealedSecretBody } from '../record/sealed-secret.ts';
import { meta, readerOf, setMeta } from './database.ts';
import type { Sql } from './port.ts';

/** The secret of a fleet as a home has it, and the key to which another host can seal it. */
export interface SecretKeeper {
  /** 32 bytes; undefined where this home does not have it yet. */
  read(): Uint8Array | undefined;
  keep(secret: Uint8Array): void;
  /** The 32 secret bytes of the key that this host's admission names. */
  sealKey(): Uint8Array;
}

/** A fleet's secret as a keyring has it now, and how it is handed on; `fleet` is the record that founded it. */
export function secretParts(keys: Keyring, fleet: string) {
  const secret: SecretKeeper = {
    read: () => keys.fleetSecret(fleet),
    keep: (given) => keys.keepFleetSecret(fleet, given),
    sealKey: () => keys.sealKey(),
  };
  return { fleetSecret: secret.read(), secret };
}

/** What the exchange works with. */
export interface SecretParts {
  readonly store: ObjectStore;
  readonly state: Sql;
  readonly world: World;
  readonly host: Signer;
  readonly secret: SecretKeeper;
}

/** The most bytes of a sealed secret: many times what one takes. */
const BYTES_MAX = 16_384;

/**
 * Hands the fleet's secret on: a host that has it seals it to each host that was admitted with a key for that and was not
 * served yet, and one that has it not takes what was sealed to it. To be called once the ledger was followed.
 */
export async function exchangeSecret(parts: SecretParts): Promise<void> {
  const { state, secret } = parts;
  const fleet = readerOf(state).get('fleet', 'fleet')?.record;
  if (fleet === undefined) return;
  const own = secret.read();
  if (own) await sealToNewcomers(parts, fleet, own);
  else await takeOwn(parts, fleet);
}

async function sealToNewcomers(
  parts: SecretParts,
  fleet: string,
  secret: Uint8Array,
): Promise<void> {
  const { store, state, host } = parts;
  const served = Number(meta(state, 'secret_served') ?? 0);
  const rows = state.all('SELECT * FROM seal_keys WHERE at > ? ORDER BY at', served);
  const newcomers = rows as unknown as ErasureTables['seal_keys'][];
  for (const { key: to, at, seal_key } of newcomers) {
    if (to !== host.address && !(await isServed(store, fleet, to))) {
      const box = sealedTo(parts, { fleet, to, key: seal_key, secret });
      if (box) await store.put(secretKey(hostIdOf(to)), box);
    }
    setMeta(state, 'secret_served', String(at));
  }
}

async function isServed(store: ObjectStore, fleet: string, to: string): Promise<boolean> {
  const found = await readSealed(store, hostIdOf(to));
  return found?.body.fleet === fleet && found.body.to === to;
}

/** Undefined for a key that is none: its host asked for nothing that could be opened. */
function sealedTo(
  { world, host }: SecretParts,
  of: {
    readonly fleet: string;
    readonly to: string;
    readonly key: string;
    readonly secret: Uint8Array;
  },
): Uint8Array | undefined {
  const { fleet, to } = of;
  try {
    const reader = Buffer.from(of.key, 'base64');
    const box = sealBox(reader, of.secret, purposeOf(fleet, to), world.random(32));
    const body: SealedSecretBody = {
      spec: SPEC,
      author: host.address,
      issued_at: toInstant(world.now()),
      fleet,
      to,
      ephemeral: Buffer.from(box.ephemeral).toString('base64'),
      sealed: Buffer.from(box.sealed).toString('base64'),
    };
    return Buffer.from(`${canonical(seal('sealed-secret', body, host))}\n`);
  } catch {
    return undefined;
  }
}

function purposeOf(fleet: string, to: string): string {
  return `credence fleet secret\n${fleet}\n${to}`;
}

async function readSealed(store: ObjectStore, host: string) {
  const bytes = await store.get(secretKey(host), BYTES_MAX);
  if (!bytes) return undefined;
  try {
    const record = open(parseCanonical(Buffer.from(bytes).toString('utf8').trimEnd()));
    const body = SealedSecretBody.parse(record.body);
    return record.context === 'sealed-secret' ? { author: record.author, body } : undefined;
  } catch {
    // Anybody who reaches the store can put something there.
    return undefined;
  }
}

/** Takes the secret from what a host that may commit has sealed to this one. Anything else there is as if it were not. */
async function takeOwn({ store, state, host, secret }: SecretParts, fleet: string): Promise<void> {
  const found = await readSealed(store, hostIdOf(host.address));
  if (!found || found.body.fleet !== fleet || found.body.to !== host.address) return;
  if (principalOf(readerOf(state), found.author)?.roles.includes('commit') !== true) return;
  const box = {
    ephemeral: Buffer.from(found.body.ephemeral, 'base64'),
    sealed: Buffer.from(found.body.sealed, 'base64'),
  };
  const opened = openBox(secret.sealKey(), box, purposeOf(fleet, host.address));
  if (opened?.length === 32) secret.keep(opened);
}
