import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cited, claimBody, positionBody } from '../../test/kit/claims.ts';
import { entriesOf, fleetRows, householdOf, T0 } from '../../test/kit/fleet.ts';
import { tempFolder } from '../../test/kit/home.ts';
import { newSql } from '../../test/kit/member.ts';
import { toInstant } from '../base/time.ts';
import type { ClaimRow } from '../fold/knowledge-rows.ts';
import { step } from '../fold/step.ts';
import { openSqlite } from '../io/sqlite.ts';
import { search } from '../query/search.ts';
import { type ClaimBody, ClaimType } from '../record/claim.ts';
import { promotionId } from '../record/governance.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { applyChanges, prepare, readerOf, setMeta } from './database.ts';
import { publishToAgents } from './follow.ts';
import type { Sql } from './port.ts';
import { isVisible } from './publish-claims.ts';
import { agentTables, READ_TABLES } from './schema.ts';

const ann = householdOf('ann', ['cc', 'cu']);
const bob = householdOf('bob');
const KNOWLEDGE = 'fg-agent-knowledge/v1';
const REPO = 'github.com/acme/web';
const URIS = ['repo://r/a.ts', 'repo://r/b.ts'];
const STATEMENTS = ['SSH listens on 2222.', 'Tests need Docker.', 'Use pnpm here.', 'It is slow.'];

/** An agent of a household, with whom a claim or position of its is signed. */
const agentOf = (n: number) => {
  const home = n === 2 ? bob : ann;
  const agent = home.agents[n === 1 ? 1 : 0];
  if (!agent) throw new Error('no agent');
  return { home, ...agent };
};
const sealedBy = (context: string, body: object, n: number): SignedRecord => {
  const { signer } = agentOf(n);
  return seal(context, { spec: SPEC, ...body, author: signer.address }, signer);
};

/** The claims of all stories: any of the agents, of any type, in any scope; the last ones supersede. */
function bodyOf(i: number): { body: ClaimBody; by: number } {
  const by = i % 3;
  const { home, id, signer } = agentOf(by);
  const type = ClaimType.options[i % ClaimType.options.length] ?? 'environment';
  const segment = [null, `repo:${REPO}`, `agent:${id}`][Math.floor(i / 3) % 3] ?? null;
  const supersedes = i < 9 ? null : recordId('claim', bodyOf(i - 9).body);
  const body = claimBody(home, `${STATEMENTS[i % 4]} (${i})`, {
    author: signer.address,
    observed_by: id,
    claim_type: type,
    scope: { space: 'fleet', segment },
    refs: URIS.slice(i % 3).map((uri) => ({ uri, kind: null })),
    evidence: [cited('s', `m${i}`)],
    supersedes,
  });
  return { body, by };
}
const CLAIMS = Array.from({ length: 12 }, (_, i) => bodyOf(i));
const IDS = CLAIMS.map(({ body }) => recordId('claim', body));
const at = (n: number) => toInstant(T0 + n * 1_000);

type Act = readonly [kind: string, a: number, b: number];

/** One thing that is said in a fleet. */
function recordOf([kind, a, b]: Act): SignedRecord {
  const claim = IDS[a % IDS.length] ?? '';
  const said = CLAIMS[a % CLAIMS.length];
  const signer = ann.person;
  const governed = { spec: SPEC, author: signer.address, issued_at: at(b) };
  switch (kind) {
    case 'position': {
      const { home, id } = agentOf(b % 3);
      const verdict = b % 2 ? 'contradict' : 'corroborate';
      const fields = { verdict, observed_by: id, issued_at: at(b) } as const;
      return sealedBy('endorsement', positionBody(home, claim, fields), b % 3);
    }
    case 'retire':
      return sealedBy(
        'retirement',
        { spec: KNOWLEDGE, claim_id: claim, reason: 'gone', issued_at: at(b) },
        said?.by ?? 0,
      );
    case 'verdict':
      return seal(
        'verdict',
        {
          spec: KNOWLEDGE,
          author: signer.address,
          promotion_id: promotionId(claim, 1),
          verdict: b % 2 ? 'approve' : 'reject',
          basis: 'read',
          issued_at: at(b),
        } as { spec: string; author: string },
        signer,
      );
    case 'policy': {
      const segment = [null, `repo:${REPO}`, 'agent:ann-cc'][a % 3] ?? null;
      const mode = ['auto', 'review', 'gates'][b % 3];
      const rest = { required_approvals: 1, protected_topics: [], staleness_horizon_seconds: 60 };
      const body = { ...governed, scope: { space: 'fleet', segment }, mode, ...rest };
      return seal('policy', body, signer);
    }
    case 'artifact': {
      const uri = URIS[a % 2];
      const body = { ...governed, space: 'fleet', uri, changed_at: at(b) };
      return seal('artifact-change', { ...body, author: ann.host.address }, ann.host);
    }
    default:
      return sealedBy('claim', said?.body ?? {}, said?.by ?? 0);
  }
}

const anyAct: fc.Arbitrary<Act> = fc.tuple(
  fc.constantFrom('claim', 'claim', 'claim', 'position', 'retire', 'verdict', 'policy', 'artifact'),
  fc.nat(23),
  fc.nat(11),
);
const OWN = [['ann-cc'], ['ann-cc', 'ann-cu'], ['bob-cc'], []] as const;

function newState(): Sql {
  const state = newSql();
  applyChanges(state, fleetRows());
  return state;
}

/** Folds a record as the next position. */
function fold(state: Sql, record: SignedRecord, seq: number): void {
  for (const entry of entriesOf([record], seq)) applyChanges(state, step(readerOf(state), entry));
  setMeta(state, 'position', String(seq));
}

function contentOf(sql: Sql) {
  return {
    rows: agentTables('live').map((table) => [table, readerOf(sql).where(table)]),
    meta: sql.all('SELECT * FROM meta ORDER BY key'),
    documents: sql.all('SELECT kind, key, repo FROM documents ORDER BY kind, key'),
    found: ['2222', 'docker', 'pnpm', 'slow', 'ann'].map((words) =>
      search(sql, words, { limit: 100 })
        .map(({ kind, id }) => `${kind} ${id}`)
        .sort(),
    ),
  };
}

/** The same by hand: what the words of the design say, over all rows of the state. */
function expectedIn(state: Sql, own: readonly string[]) {
  const rows = readerOf(state);
  const shown = rows.where('claims').filter((claim) => {
    const gone = claim.retired !== null || claim.superseded_by !== null;
    const candidate = claim.status === 'pending' && own.some((id) => id === claim.observed_by);
    return !gone && (claim.status === 'accepted' || candidate);
  });
  const ids = new Set(shown.map(({ key }) => key));
  const uris = new Set(
    shown.flatMap(({ refs }) => (JSON.parse(refs) as { uri: string }[]).map(({ uri }) => uri)),
  );
  return {
    claims: shown,
    endorsements: rows.where('endorsements').filter(({ claim }) => ids.has(claim)),
    citations: rows.where('citations').filter(({ claim }) => ids.has(claim)),
    artifacts: rows
      .where('artifacts')
      .filter(({ key }) => uris.has((JSON.parse(key) as string[])[1] ?? '')),
    policies: rows.where('policies'),
    scores: rows.where('scores'),
  };
}

describe('the claims that agents may see', () => {
  test('are the visible ones, whatever was said and however often it was published', () => {
    let withdrawn = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyAct, fc.boolean(), fc.constantFrom(...OWN)), { maxLength: 60 }),
        (story) => {
          const state = newState();
          const agents = newSql(agentTables('live'));
          let before = 0;
          for (const [i, [act, publishes, own]] of story.entries()) {
            fold(state, recordOf(act), i + 1);
            if (!publishes) continue;
            publishToAgents(state, agents, 'live', own);
            const expected = expectedIn(state, own);
            for (const table of READ_TABLES)
              expect(readerOf(agents).where(table), table).toEqual(expected[table]);
            if (expected.claims.length < before) withdrawn += 1;
            before = expected.claims.length;
          }
          const fresh = newSql(agentTables('live'));
          for (const sql of [agents, fresh]) publishToAgents(state, sql, 'live', ['ann-cc']);
          expect(contentOf(agents)).toEqual(contentOf(fresh));
        },
      ),
      { numRuns: 40 },
    );
    // The stories do tell of claims that vanish.
    expect(withdrawn).toBeGreaterThan(0);
  });

  test.each<[string, Partial<ClaimRow>, boolean]>([
    ['a promoted one', {}, true],
    ['a promoted one of another space', { space: 'lab' }, false],
    [
      'one that only a broken state could promote: a hypothesis',
      { claim_type: 'hypothesis' },
      false,
    ],
    ['an own candidate', { status: 'pending', observed_by: 'own' }, true],
    [
      'an own hypothesis',
      { status: 'pending', observed_by: 'own', claim_type: 'hypothesis' },
      true,
    ],
    ['another’s candidate', { status: 'pending' }, false],
    ['a rejected one of its own', { status: 'rejected', observed_by: 'own' }, false],
    ['what is contested and was promoted', { status: 'contested', promoted_at: 3 }, true],
    ['what contests such a one', { status: 'contested', against: '["x"]' }, true],
    ['what was contested before it was promoted', { status: 'contested' }, false],
    ['a retired one', { retired: 9 }, false],
    ['a superseded one', { superseded_by: 'x' }, false],
    [
      'one with a status that this version does not know',
      { status: 'foreign' as ClaimRow['status'] },
      false,
    ],
  ])('%s', (_name, fields, expected) => {
    const base = { space: 'fleet', status: 'accepted', observed_by: 'peer', retired: null };
    const claim = { ...base, promoted_at: null, against: '[]' };
    const row = { ...claim, superseded_by: null, claim_type: 'outcome', ...fields } as ClaimRow;
    expect(isVisible(row, { space: 'fleet', own: ['own'] })).toBe(expected);
  });
});

describe('the file', () => {
  const claim = sealedBy('claim', CLAIMS[0]?.body ?? {}, 0);
  const words = 'SSH listens on 2222';

  test.each(['none', 'agent', 'batch', 'both', 'shadow', 'live'])(
    'has claims, and the tables for them, in live alone: %s',
    (mode) => {
      const path = join(tempFolder('agents'), 'agent.sqlite');
      const state = newState();
      fold(state, claim, 1);
      const agents = openSqlite(path);
      prepare(agents, agentTables(mode), mode);
      publishToAgents(state, agents, mode, ['ann-cc']);
      agents.close();
      const plain = openSqlite(path);
      const tables = plain
        .all("SELECT name FROM sqlite_master WHERE type = 'table'")
        .map(({ name }) => String(name));
      plain.close();
      const wanted = ['claims', 'endorsements', 'citations', 'artifacts', 'policies', 'scores'];
      expect(wanted.filter((name) => tables.includes(name))).toEqual(mode === 'live' ? wanted : []);
      expect(tables).not.toContain('promotions');
      expect(tables).not.toContain('episodes');
      expect(readFileSync(path).includes(words)).toBe(mode === 'live');
    },
  );

  test('holds no byte of a claim that was withdrawn', () => {
    const path = join(tempFolder('agents'), 'agent.sqlite');
    const state = newState();
    fold(state, claim, 1);
    const agents = openSqlite(path);
    prepare(agents, agentTables('live'), 'live');
    publishToAgents(state, agents, 'live', ['ann-cc']);
    agents.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(readFileSync(path).includes(words)).toBe(true);
    fold(state, recordOf(['retire', 0, 0]), 2);
    publishToAgents(state, agents, 'live', ['ann-cc']);
    agents.close();
    for (const text of [words, 'listen']) expect(readFileSync(path).includes(text)).toBe(false);
  });
});
