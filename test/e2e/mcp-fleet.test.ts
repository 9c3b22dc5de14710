import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openSqlite } from '../../src/io/sqlite.ts';
import { readerOf } from '../../src/snapshot/database.ts';
import { filledFolder } from '../kit/home.ts';
import { describeShared } from '../kit/shared.ts';
import { machine } from './machine.ts';
import { checkout, connect } from './mcp-client.ts';

// Each starts the program many times.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const REPO = 'github.com/entireio/cli';
const FIRST = 'b1f0c9d2-0000-4000-8000-000000000001';
const SECOND = 'b1f0c9d2-0000-4000-8000-000000000002';
const STATEMENT =
  'The linter refuses interfaces that a function returns, unless ireturn is silenced.';
const SEEN = 'ireturn: NewStore returns interface (store.Store)';

interface Claim {
  readonly id: string;
  readonly statement: string;
  readonly status: string;
  readonly observedBy: string;
  readonly evidenceCount: number;
  readonly independentCount: number;
}

describeShared('agents of a real fleet, by MCP', (shared) => {
  const begun = filledFolder('mcp-fleet', (folder) => {
    const one = machine(folder);
    const fleet = join(shared, 'fixtures', 'fleet');
    cpSync(join(fleet, 'dev1', '.claude'), join(folder, '.claude'), { recursive: true });
    one.run('init', '--agent-id', 'cc-01');
    one.run('import');
    one.run('repos', 'map', '--file', join(fleet, 'repos.json'));
    one.run('config', 'set', 'summarize.mode', 'live');
  });

  /** A session that begins, with its client: a linter can run in it, and it ends with all that maintenance makes of it. */
  async function session(one: ReturnType<typeof machine>, id: string, cwd: string) {
    const at = { session_id: id, cwd };
    one.hook('SessionStart', { ...at, source: 'startup' });
    one.hook('UserPromptSubmit', { ...at, prompt: 'Make the linter pass.' });
    const { client, call } = await connect(one, { cwd });
    const lint = (stdout: string) =>
      one.hook('PostToolUse', {
        ...at,
        tool_use_id: `toolu_${id.slice(-1)}`,
        tool_name: 'Bash',
        tool_input: { command: 'golangci-lint run' },
        tool_response: { stdout, stderr: '' },
      });
    const end = async () => {
      await client.close();
      one.hook('SessionEnd', { ...at, reason: 'exit' });
      expect(one.run('maint', '--once').status).toBe(0);
    };
    return { call, lint, end };
  }

  const claimed = (one: ReturnType<typeof machine>) =>
    (one.json('claims') as unknown as Claim[]).filter((claim) => claim.statement === STATEMENT);

  /** What was found to have been before a session, as the ledger has it. */
  function exposuresOf(folder: string, id: string): readonly { readonly id: string }[] {
    const state = openSqlite(join(folder, '.credence', 'state.sqlite'), { readOnly: true });
    const [finding] = readerOf(state).where('findings', 'subject', id);
    state.close();
    return JSON.parse(finding?.found ?? '') as { id: string }[];
  }

  const cited = { session_id: 'current', quote: SEEN };
  const proposal = {
    claim: STATEMENT,
    type: 'environment',
    subject: ['ireturn'],
    evidence: [cited],
  };

  test('what one proposes with a citation is a claim under its name, and its handoff is offered', async () => {
    const one = machine(await begun());
    const { call, lint, end } = await session(one, FIRST, checkout(one, REPO));
    lint(SEEN);
    expect((await call('memory_propose', { ...proposal, evidence: [] })).code).toBe(
      'claim.evidence',
    );
    expect((await call('memory_propose', proposal)).value).toMatchObject({
      state: 'queued',
      agent: 'cc-01',
    });
    const handoff = await call('fleet_handoff', { summary: 'ireturn is left', status: 'partial' });
    expect(handoff.value).toMatchObject({ state: 'queued', repo: REPO });
    expect((await call('fleet_status')).value['waiting']).toMatchObject({
      proposals: 1,
      handoffs: 1,
    });
    await end();
    const [claim] = claimed(one);
    expect(claim).toMatchObject({ status: 'promoted', observedBy: 'cc-01', evidenceCount: 1 });
    const { entry } = one.json('prove', claim?.id ?? '') as {
      entry: { record: { body: object } };
    };
    expect(entry.record.body).toMatchObject({
      scope: { segment: `repo:${REPO}` },
      evidence: [{ session_id: FIRST, message_id: 'toolu_1' }],
    });
    const [note] = one.json('handoffs') as unknown as { id: string; session: string }[];
    expect(note).toMatchObject({ id: handoff.value['id'], session: FIRST });
    const next = await session(one, SECOND, checkout(one, REPO));
    const status = await next.call('fleet_status');
    expect(status.text).toMatch(
      /### Handoffs that nobody has picked up\n- \[cc-01, .*ireturn is left/,
    );
    const offered = { kind: 'handoff', id: handoff.value['id'], source: FIRST };
    expect(status.value['items']).toContainEqual(expect.objectContaining(offered));
  });

  // In another repo, where no briefing tells of the claim, and at another commit.
  test.each<[string, 'before' | 'after' | 'never', number]>([
    ['had been shown it is no independent witness', 'before', 1],
    ['was shown it later is one', 'after', 2],
    ['never was is one', 'never', 2],
  ])('a session that proposes the same and %s', async (_what, reads, independent) => {
    const one = machine(await begun());
    const first = await session(one, FIRST, checkout(one, REPO));
    first.lint(SEEN);
    await first.call('memory_propose', proposal);
    await first.end();
    const id = claimed(one)[0]?.id ?? '';
    const seen = 'ireturn: openCache returns interface (cache.Cache)';
    const elsewhere = checkout(one, 'github.com/example/tidepool', { name: 'other', sha: 'b' });
    const second = await session(one, SECOND, elsewhere);
    const search = async () => {
      const { value } = await second.call('memory_search', { query: 'ireturn silenced' });
      expect(value['items']).toContainEqual(expect.objectContaining({ kind: 'claim', id }));
      expect(value['context']).toContain('of another repo');
    };
    if (reads === 'before') await search();
    second.lint(seen);
    if (reads === 'after') await search();
    const again = { ...proposal, evidence: [{ ...cited, quote: seen }] };
    expect((await second.call('memory_propose', again)).value).toMatchObject({ state: 'queued' });
    await second.end();
    expect(exposuresOf(one.folder, SECOND).filter((found) => found.id === id)).toEqual(
      reads === 'never' ? [] : [expect.objectContaining({ kind: 'claim', matched: 'lineage' })],
    );
    const said = { id, evidenceCount: 2, independentCount: independent };
    expect(claimed(one)).toMatchObject([said]);
  });
});
