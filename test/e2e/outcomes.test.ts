import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { setUp } from '../../src/home/set-up.ts';
import { withParts } from '../../src/node/passes.ts';
import { importAll, maintain } from '../../src/pipeline.ts';
import { detailOf } from '../../src/query/claim-detail.ts';
import { listClaims } from '../../src/query/claims.ts';
import { readerOf } from '../../src/snapshot/database.ts';
import { envOf, stillWorld, testHome } from '../kit/home.ts';
import { openMemoryStore } from '../kit/memory-store.ts';
import { describeShared } from '../kit/shared.ts';

/*
 * The oracle: what a tool call ran, and how it ended, read straight from the lines of a transcript by code that shares nothing
 * with the product.
 */
interface Block {
  readonly type?: string;
  readonly id?: string;
  readonly input?: { readonly command?: string };
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
}

/** One line of the fleet is no JSON. */
function contentOf(line: string): unknown {
  try {
    return JSON.parse(line).message?.content;
  } catch {
    return undefined;
  }
}

function callsIn(text: string): Map<string, { command: string; isError: boolean | undefined }> {
  const calls = new Map<string, { command: string; isError: boolean | undefined }>();
  for (const line of text.split('\n').filter((one) => one.startsWith('{'))) {
    const content = contentOf(line);
    for (const block of Array.isArray(content) ? (content as Block[]) : []) {
      if (block.type === 'tool_use' && block.id !== undefined)
        calls.set(block.id, { command: block.input?.command ?? '', isError: undefined });
      const call = calls.get(block.tool_use_id ?? '');
      if (block.type === 'tool_result' && call) call.isError = block.is_error === true;
    }
  }
  return calls;
}

describeShared('outcomes of a real fleet, by rules alone', (shared) => {
  const fleet = join(shared, 'fixtures/fleet');
  const root = mkdtempSync(join(tmpdir(), 'outcomes-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const machines = readdirSync(fleet).filter((name) => name.startsWith('dev'));
  const told: string[] = [];

  test.each(machines)(
    '%s: each is promoted, opens at the line that it cites, and is true there',
    { timeout: 60_000 },
    async (machine) => {
      const folder = join(root, machine);
      const store = openMemoryStore();
      const home = testHome(folder, machine, () => store, stillWorld(Date.UTC(2026, 5, 1)));
      const env = { ...envOf(folder), CLAUDE_CONFIG_DIR: join(fleet, machine, '.claude') };
      const agents = { 'claude-code': 'cc-01' };
      await setUp(home, { runtimes: ['claude-code'], agentIds: agents });
      const claims = await withParts(
        { ...home, settings: { ...home.settings, agents } },
        async (parts) => {
          await importAll(parts, parts.history.files(), () => undefined);
          expect((await maintain(parts))?.troubles).toEqual([]);
          expect(await maintain(parts)).toMatchObject({ extracted: 0, findings: 0, decisions: 0 });
          const reader = readerOf(parts.state);
          const space = reader.get('fleet', 'fleet')?.fleet_id ?? '';
          return listClaims(reader, space, { now: parts.world.now() }).map((claim) => {
            return { claim, citation: detailOf(reader, claim).citations[0] };
          });
        },
        env,
      );
      const paths = readdirSync(join(fleet, machine), { recursive: true, encoding: 'utf8' });
      const transcripts = paths.filter((path) => path.endsWith('.jsonl'));
      const calls = new Map(
        transcripts.flatMap((path) => [
          ...callsIn(readFileSync(join(fleet, machine, path), 'utf8')),
        ]),
      );
      for (const { claim, citation } of claims?.value ?? []) {
        const call = calls.get(citation?.message ?? '');
        const [, command = '', verb] = /^`(.+?)` (passed|failed) /.exec(claim.statement) ?? [];
        expect(claim, claim.statement).toMatchObject({ status: 'promoted', claimType: 'outcome' });
        const run = call?.command.replaceAll('`', "'").replace(/\s+/g, ' ').trim() ?? '';
        expect(run.startsWith(command.replace(/…$/, '')), claim.statement).toBe(true);
        expect(call?.isError, claim.statement).toBe(verb === 'failed');
        told.push(claim.statement);
      }
    },
  );

  test('there are some of both kinds', () => {
    expect(told.filter((one) => one.includes('` passed ')).length).toBeGreaterThan(20);
    expect(told.filter((one) => one.includes('` failed ')).length).toBeGreaterThan(0);
  });
});
