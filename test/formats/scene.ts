import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { signerOf } from '../../src/base/ed25519.ts';
import { toInstant } from '../../src/base/time.ts';
import { handleHook } from '../../src/capture/hook.ts';
import { processPath } from '../../src/capture/paths.ts';
import type { HookSettings } from '../../src/capture/settings.ts';
import { draftClaim } from '../../src/extract/draft.ts';
import { draftHandoff } from '../../src/handoff/handoff.ts';
import type { Home } from '../../src/home/home.ts';
import { setUp } from '../../src/home/set-up.ts';
import { hookFiles } from '../../src/io/hook-files.ts';
import { openOutbox } from '../../src/io/outbox.ts';
import { openProposals } from '../../src/io/proposal-folder.ts';
import { readIfThere } from '../../src/io/small-file.ts';
import { hostIdOf } from '../../src/ledger/found.ts';
import { deposit } from '../../src/ledger/inbox.ts';
import { openHome } from '../../src/node/node.ts';
import { syncOnce, withParts } from '../../src/node/passes.ts';
import { importAll, maintain } from '../../src/pipeline.ts';
import { SPEC, seal } from '../../src/record/record.ts';
import { HOOKED } from '../../src/runtime/hooked.ts';
import { mapRepos } from '../../src/verbs/map-repos.ts';

/** A home, its store and its runtime's folder, with a value of every stored format in them. */
export interface Scene {
  readonly home: Home;
  /** Absolute. */
  readonly lake: string;
}

const MINUTE = 60_000;
const sha256 = (text: string) => createHash('sha256').update(text).digest();

function place(path: string, data: string | Uint8Array, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, data, { mode });
}

/** Keys that anybody can make again: the seeds of persons, hosts and agents here are bytes of one value. */
function placeKeys(config: string): void {
  const seeds = { host: 1, person: 2, 'agent-cc-01': 3 };
  for (const [name, byte] of Object.entries(seeds)) {
    const seed = Buffer.alloc(32, byte);
    const stored = { address: signerOf(seed).address, seed: seed.toString('base64') };
    place(join(config, 'keys', `${name}.json`), `${JSON.stringify(stored, undefined, 2)}\n`);
  }
  place(join(config, 'keys', 'host.secret'), Buffer.alloc(32, 4));
  place(join(config, 'keys', 'seal.secret'), Buffer.alloc(32, 5));
}

/** One machine on one day: two sessions captured, one of them still running, one imported. */
class Stage {
  home: Home;
  readonly #folder: string;
  readonly #env: Record<string, string>;
  #now: number;
  #drawn = 0;

  constructor(folder: string, now: number) {
    this.#folder = folder;
    this.#now = now;
    this.#env = {
      CREDENCE_HOME: join(folder, '.credence'),
      CREDENCE_CONFIG_HOME: join(folder, '.config', 'credence'),
      CREDENCE_STORE: `file://${this.lake}`,
      CLAUDE_CONFIG_DIR: join(folder, '.claude'),
    };
    placeKeys(join(folder, '.config', 'credence'));
    this.home = this.#open();
  }

  #open(): Home {
    const world = { now: () => this.#now, random: (bytes: number) => this.#random(bytes) };
    return { ...openHome({}, this.#env), user: 'me', world };
  }

  get lake(): string {
    return join(this.#folder, '.credence', 'lake');
  }

  get checkout(): string {
    return join(this.#folder, 'src', 'tidepool');
  }

  #random(bytes: number): Uint8Array {
    this.#drawn += 1;
    return sha256(`drawn ${this.#drawn}`).subarray(0, bytes);
  }

  async setUp(): Promise<void> {
    const git = join(this.checkout, '.git');
    place(join(git, 'config'), '[remote "origin"]\n\turl = git@github.com:example/tidepool.git\n');
    place(join(git, 'HEAD'), 'ref: refs/heads/main\n');
    place(join(git, 'refs', 'heads', 'main'), `${sha256('commit').toString('hex').slice(0, 40)}\n`);
    await setUp(this.home, {
      runtimes: ['claude-code'],
      agentIds: { 'claude-code': 'cc-01' },
    });
    // The settings have changed.
    this.home = this.#open();
  }

  /** One payload to the hook, a second after the last. */
  hook(session: string, event: string, fields: object): void {
    const runtime = HOOKED['claude-code'];
    if (!runtime) throw new Error('the runtime is gone');
    this.#now += 1_000;
    const { folders } = this.home;
    const files = hookFiles(folders.home);
    const settings = JSON.parse(files.read('hook.json') ?? '') as HookSettings;
    const payload = {
      hook_event_name: event,
      session_id: session,
      cwd: this.checkout,
      transcript_path: this.transcript(session),
      ...fields,
    };
    const result = handleHook('claude-code', runtime, event, Buffer.from(JSON.stringify(payload)), {
      files,
      world: this.home.world,
      settings,
      secret: () => this.home.keys.hostSecret(),
    });
    if (result.started)
      files.mark(processPath('claude-code', 4242), JSON.stringify(result.started));
    this.#settle(join(folders.home, 'spool', 'claude-code'));
  }

  /** Files are as old as the scene's clock says. */
  #settle(folder: string): void {
    const seconds = this.#now / 1_000;
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), seconds, seconds);
  }

  tool(session: string, id: string, name: string, input: object, response: object): void {
    const call = { tool_use_id: id, tool_name: name, tool_input: input };
    this.hook(session, 'PreToolUse', call);
    if ('error' in response) this.hook(session, 'PostToolUseFailure', { ...call, ...response });
    else this.hook(session, 'PostToolUse', { ...call, tool_response: response });
  }

  transcript(session: string): string {
    return join(this.#folder, '.claude', 'projects', '-home-me-src-tidepool', `${session}.jsonl`);
  }

  /** A transcript of the runtime's, written just before now. */
  write(session: string, lines: readonly object[]): void {
    const path = this.transcript(session);
    place(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    utimesSync(path, this.#now / 1_000, this.#now / 1_000);
  }

  wait(ms: number): void {
    this.#now += ms;
  }

  get at(): string {
    return toInstant(this.#now);
  }

  /** An agent's note, as the command leaves it. */
  note(session: string, name: string, summary: string): void {
    const draft = draftHandoff(
      {
        session,
        agent: 'cc-01',
        runtime: 'claude-code',
        repo: 'github.com/example/tidepool',
        status: 'partial',
        summary,
        next: 'Raise the limit in src/config.ts.',
        written_at: this.at,
      },
      { secret: () => this.home.keys.hostSecret() },
    );
    openOutbox(this.home.folders.home).add(name, draft);
  }

  /** An agent's claim, as the command leaves it. */
  claim(session: string, name: string, statement: string, quote: string): void {
    const draft = draftClaim(
      {
        agent: 'cc-01',
        statement,
        claim_type: 'environment',
        subject: ['tests'],
        topics: [],
        segment: 'repo:github.com/example/tidepool',
        supersedes: null,
        evidence: [{ session_id: session, quote }],
        nonce: '5f1e0d7c3b2a49586776859483a2b1c0',
        written_at: this.at,
      },
      { secret: () => this.home.keys.hostSecret() },
    );
    openProposals(this.home.folders.home).add(name, draft);
  }

  async sync(): Promise<void> {
    await syncOnce(this.home, this.#env);
  }

  /** Import, a map of a folder that is gone, and a pass of maintenance. */
  async maintain(): Promise<void> {
    await withParts(
      this.home,
      async (parts) => {
        await importAll(parts, parts.history.files(), () => {});
        await mapRepos(
          parts,
          [{ pattern: '/home/me/old/**', remote: 'github.com/example/tidepool' }],
          undefined,
        );
        await maintain(parts);
      },
      this.#env,
    );
  }

  /** A record that the committer refuses, and one that it leaves until its date. */
  async disputed(): Promise<void> {
    const { signer } = this.home.keys;
    const host = signer('host');
    const base = { spec: SPEC, author: host.address };
    const again = {
      ...base,
      issued_at: this.at,
      address: host.address,
      principal: hostIdOf(host.address),
      kind: 'host',
      operator: signer('person').address,
      roles: ['capture'],
    };
    const later = {
      ...base,
      issued_at: toInstant(this.#now + 60 * MINUTE),
      pattern: '/home/me/x/**',
      remote: 'github.com/example/tidepool',
    };
    const records = [seal('admission', again, host), seal('repo-map', later, host)];
    await deposit(this.home.store(), again.principal, this.home.nextCounter(), records);
  }
}

const FIRST = '1c38adc0-5f0e-4a8f-9b1d-0a7a1f3c2e11';
const SECOND = '7e21b4d8-93c4-4b5e-8d54-5a3d6f0b9c22';
const OLD = '0b9d3c51-2f6a-4d0e-a7c3-6e8f1d2a4b33';

const PROMPT = 'Refuse uploads over the limit. <private>the Lindqvist account</private>';

/** Answers with the instant of the prompt. */
function firstSession(stage: Stage): string {
  const edit = {
    file_path: join(stage.checkout, 'src/upload.ts'),
    old_string: '25',
    new_string: '40',
  };
  const tests = { command: 'npm test' };
  const commit = { command: 'git commit -am "upload: refuse over the limit"' };
  stage.hook(FIRST, 'SessionStart', { source: 'startup', model: 'claude-sonnet-4-5' });
  stage.hook(FIRST, 'UserPromptSubmit', { prompt: PROMPT, prompt_id: 'p1' });
  const prompted = stage.at;
  stage.tool(
    FIRST,
    'toolu_01',
    'Read',
    { file_path: join(stage.checkout, '.env') },
    {
      type: 'text',
      file: { content: 'LIMIT_MB=25\n' },
    },
  );
  stage.tool(FIRST, 'toolu_02', 'Edit', edit, { structuredPatch: [] });
  stage.tool(FIRST, 'toolu_03', 'Bash', tests, { error: 'Exit code 1\n1 failing: refuses 41 MB' });
  stage.tool(FIRST, 'toolu_04', 'Edit', edit, { structuredPatch: [] });
  stage.tool(FIRST, 'toolu_05', 'Bash', tests, { stdout: '12 passing', stderr: '' });
  stage.tool(FIRST, 'toolu_06', 'Bash', commit, {
    stdout: '[main 4f1c2d3] upload: refuse over the limit\n 1 file changed',
    stderr: '',
  });
  stage.hook(FIRST, 'Stop', { last_assistant_message: 'Uploads over the limit are refused.' });
  stage.hook(FIRST, 'SessionEnd', { reason: 'prompt_input_exit' });
  return prompted;
}

/** The runtime's own file: it holds one call that no hook reported. */
function firstTranscript(stage: Stage, timestamp: string): void {
  const common = { sessionId: FIRST, cwd: stage.checkout, version: '2.0.14', timestamp };
  const reply = { id: 'msg_01', model: 'claude-sonnet-4-5' };
  const usage = { input_tokens: 1200, output_tokens: 34, cache_read_input_tokens: 900 };
  const text = { type: 'text', text: 'I look for the limit first.' };
  const grep = { type: 'tool_use', id: 'toolu_00', name: 'Grep', input: { pattern: 'limit' } };
  stage.write(FIRST, [
    { ...common, type: 'user', uuid: 'u1', message: { role: 'user', content: PROMPT } },
    {
      ...common,
      type: 'assistant',
      uuid: 'a1',
      parentUuid: 'u1',
      message: { ...reply, content: [text, grep], usage },
    },
    {
      ...common,
      type: 'user',
      uuid: 'u2',
      parentUuid: 'a1',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_00', content: 'src/upload.ts' }],
      },
    },
  ]);
}

/**
 * Runs one home through a day and a night, in a folder: founding, hooks, a sync, an import, maintenance. `now` is
 * milliseconds. The same folder and moment give the same bytes, but for what the file system adds.
 */
export async function playScene(folder: string, now: number): Promise<Scene> {
  const stage = new Stage(folder, now);
  await stage.setUp();
  firstTranscript(stage, firstSession(stage));
  stage.note(FIRST, '01JQ8Y3W5C0000000000000000', 'Uploads over 40 MB are refused.');
  stage.claim(
    FIRST,
    '01JQ8Y3W5C0000000000000001',
    'The tests take a file of 41 MB.',
    'refuses 41 MB',
  );
  stage.claim(FIRST, '01JQ8Y3W5C0000000000000002', 'The tests pass at once.', '1 of them');
  stage.write(OLD, [
    {
      type: 'user',
      uuid: 'u9',
      sessionId: OLD,
      cwd: '/home/me/old/tidepool',
      timestamp: stage.at,
      message: { role: 'user', content: 'How do the tests run?' },
    },
    { type: 'summary', summary: 'tests' },
  ]);
  // A line that a full disk cut short.
  place(join(stage.home.folders.home, 'spool', 'claude-code', 'torn.ndjson'), '\n{"line_id":"3f');
  stage.wait(2 * MINUTE);
  await stage.sync();
  stage.wait(24 * 60 * MINUTE);
  await stage.maintain();
  stage.hook(SECOND, 'SessionStart', { source: 'startup' });
  stage.hook(SECOND, 'UserPromptSubmit', { prompt: 'Finish the upload limit.', prompt_id: 'p2' });
  const path = join(stage.checkout, 'src/config.ts');
  stage.tool(SECOND, 'toolu_11', 'Edit', { file_path: path }, { structuredPatch: [] });
  stage.hook(SECOND, 'Stop', { last_assistant_message: 'Done.' });
  stage.hook(SECOND, 'Stop', { last_assistant_message: 'Done.', stop_hook_active: true });
  // It waits: its session goes on.
  stage.claim(SECOND, '01JQ8Y3W5C0000000000000003', 'The limit is in one file.', 'one place');
  await stage.disputed();
  // Long enough for a part to be due.
  stage.wait(16 * MINUTE);
  await stage.sync();
  stage.hook(SECOND, 'UserPromptSubmit', { prompt: 'And src/config.ts?', prompt_id: 'p3' });
  stage.wait(1_000);
  await stage.sync();
  stage.note(SECOND, '01JQ8Y3W5C0000000000000001', 'Halfway through.');
  if (readIfThere(join(stage.home.folders.home, 'last-sync.json')) === undefined)
    throw new Error('the scene did not sync');
  return { home: stage.home, lake: stage.lake };
}
