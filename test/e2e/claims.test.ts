import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readIfThere } from '../../src/io/small-file.ts';
import { openSqlite } from '../../src/io/sqlite.ts';
import { parseSpool } from '../../src/lake/read-spool.ts';
import { filledFolder, place } from '../kit/home.ts';
import { proposeIn, reviewedIn } from '../kit/propose.ts';
import { machine, placeHistory } from './machine.ts';

// Each starts the program many times.
vi.setConfig({ testTimeout: 300_000 });

const REPO = 'github.com/example/tidepool';
const STATEMENT = 'Uploads are refused above MAX_UPLOAD_BYTES.';

interface Told {
  readonly hookSpecificOutput?: { readonly additionalContext?: string };
}

/** Its home is named, so that the library in this process opens the same one. */
const named = (folder: string) =>
  machine(folder, {
    CREDENCE_HOME: join(folder, '.credence'),
    CREDENCE_CONFIG_HOME: join(folder, '.config', 'credence'),
  });

const cited = { session: '', message: '', text: '', at: '' };
const claimed = filledFolder('claims', async (folder) => {
  const { run, json, env } = named(folder);
  placeHistory(folder);
  run('init', '--agent-id', 'cc-01');
  run('install', 'claude-code');
  run('import');
  run('repos', 'map', '/*/dev/src/tidepool', REPO);
  place(join(folder, '.git', 'config'), `[remote "origin"]\n\turl = https://${REPO}.git\n`);
  place(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const sessions = json('sessions', '--limit', '50') as unknown as { session: string }[];
  cited.session = sessions.at(-1)?.session ?? '';
  const { events } = json('sessions', cited.session) as unknown as {
    events: { message_id?: string; content?: string; emitted_at: string }[];
  };
  const event = events.find(({ message_id, content }) => message_id && content);
  cited.message = event?.message_id ?? '';
  cited.text = event?.content ?? '';
  cited.at = event?.emitted_at ?? '';
  const refs = [{ uri: `repo://${REPO}/src/upload.ts`, kind: null }];
  const subject = ['MAX_UPLOAD_BYTES'];
  await reviewedIn(env, [null]);
  await proposeIn(env, STATEMENT, cited, { refs, subject });
  run('sync', '--once');
});

/** A machine with a sealed history in a repo, and a claim of its agent that rests on a message of it. */
async function claiming() {
  const one = named(await claimed());
  const [claim] = one.json('claims') as unknown as { id: string }[];
  return { ...one, id: claim?.id ?? '', short: claim?.id.slice(0, 12) ?? '', cited };
}

/** Every file of a home that holds a text, by its name. */
function holding(folder: string, text: string): string[] {
  const home = join(folder, '.credence');
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
    .map((path) => path.slice(home.length + 1));
}

test('a claim goes from candidate to briefing, suspect, and withdrawn', async () => {
  const { folder, run, json, hook, id, short, cited } = await claiming();
  // Another key of the same agent: what it said by the old one is its own still.
  expect(json('fleet', 'rotate', 'agent', 'cc-01')).toMatchObject({ isDone: true });
  const page = run('claims', short).stdout;
  expect(page).toContain(STATEMENT);
  expect(page).toContain('review: 0 of 1 approval');
  expect(page).toContain('matches');
  expect(json('claims', id)).toMatchObject({
    status: 'candidate',
    waits: [{ for: 'review', approvals: 0, required: 1 }],
    citations: [{ session: cited.session, message: cited.message, found: 'matches' }],
  });
  expect(run('search', 'MAX_UPLOAD_BYTES').stdout).toContain(short);

  expect(run('review').stdout).toContain(short);
  expect(run('review', short, '--approve').status).toBe(2);
  expect(run('review', short, '--approve', '--basis', 'read it', '--dry-run').stdout).toContain(
    'would approve',
  );
  expect(json('claims', id)).toMatchObject({ status: 'candidate' });
  expect(run('review', short, '--approve', '--basis', 'read it').stdout).toContain(
    'it is promoted',
  );
  expect(json('claims', id)).toMatchObject({ status: 'promoted' });
  const again = json('review', short, '--approve', '--basis', 'twice') as {
    error?: { code: string };
  };
  expect(again.error?.code).toBe('promotion.decided');

  // In every other mode nothing of it is where agents read.
  const agentFiles = () =>
    holding(folder, STATEMENT).filter((path) => /^(agent\.sqlite|brief\/)/.test(path));
  expect(agentFiles()).toEqual([]);
  expect(run('brief', '--repo', REPO).stdout).not.toContain(STATEMENT);
  expect(hook('SessionStart', { session_id: 'before', source: 'startup' })).not.toContain(
    STATEMENT,
  );

  // An agent can't let itself read; a person does it, in a terminal that no hook has told of.
  expect(json('config', 'set', 'summarize.mode', 'live')).toMatchObject({
    error: { code: 'person.needed' },
  });
  rmSync(join(folder, '.credence', 'run'), { recursive: true });
  expect(run('config', 'set', 'summarize.mode', 'live').status).toBe(0);
  expect(agentFiles().some((path) => path.startsWith('brief/'))).toBe(true);
  expect(run('brief', '--repo', REPO).stdout).toContain(`(${short}) ${STATEMENT}`);
  expect(run('brief', '--repo', REPO, '--task', 'MAX_UPLOAD_BYTES').stdout).toContain(short);
  expect(run('brief', '--repo', REPO, '--task', 'unrelated words').stdout).not.toContain(short);

  const told = JSON.parse(hook('SessionStart', { session_id: 's', source: 'startup' })) as Told;
  expect(told.hookSpecificOutput?.additionalContext).toContain(`(${short}) ${STATEMENT}`);
  const spool = join(folder, '.credence', 'spool', 'claude-code', 's.ndjson');
  const items = parseSpool(readIfThere(spool) ?? '').lines.flatMap(
    ({ envelope }) => envelope.injected_context ?? [],
  );
  expect(items).toContainEqual({ kind: 'claim', id, source: cited.session, observed_by: 'cc-01' });

  // A file that was rendered in live tells nothing to a hook whose settings say otherwise.
  const settings = join(folder, '.credence', 'hook.json');
  place(settings, readFileSync(settings, 'utf8').replace('"claims": true', '"claims": false'));
  expect(hook('SessionStart', { session_id: 'other', source: 'startup' })).not.toContain(STATEMENT);

  place(join(folder, 'src', 'upload.ts'), 'export {};\n');
  const would = json('invalidate', 'src/upload.ts', '--dry-run');
  expect(would).toMatchObject({ uri: `repo://${REPO}/src/upload.ts`, suspect: [id] });
  expect(json('claims', id)).toMatchObject({ suspect: false });
  expect(run('invalidate', 'src/upload.ts').stdout).toContain('1 claim is suspect');
  expect(json('claims', id)).toMatchObject({ suspect: true });
  expect(run('brief', '--repo', REPO).stdout).toContain('SUSPECT');
  expect(run('invalidate', '/nowhere').stdout).toContain('no claim refers to it');

  expect(
    run('claim', 'retire', short, '--reason', 'the flag is gone', '--dry-run').stdout,
  ).toContain('would withdraw');
  const secret = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
  const gone = run('claim', 'retire', short, '--reason', `${secret} is gone`);
  expect(gone.stdout).toContain('withdrew');
  expect(holding(folder, secret)).toEqual([]);
  expect(json('claims', id)).toMatchObject({ status: 'retired' });
  expect(run('brief', '--repo', REPO).stdout).not.toContain(STATEMENT);
  expect(json('claim', 'retire', short, '--reason', 'x')).toMatchObject({
    error: { code: 'claim.retired' },
  });
  const agents = openSqlite(join(folder, '.credence', 'agent.sqlite'), { readOnly: true });
  expect(agents.all('SELECT key FROM claims')).toEqual([]);
  agents.close();
});

test('leaving live takes every claim from the files of agents before the command returns', async () => {
  const { folder, run, env } = await claiming();
  run('config', 'set', 'summarize.mode', 'live');
  const agentFiles = () =>
    holding(folder, STATEMENT).filter((path) => /^(agent\.sqlite|brief\/)/.test(path));
  expect(agentFiles()).not.toEqual([]);
  run('config', 'set', 'summarize.mode', 'shadow');
  expect(agentFiles()).toEqual([]);
  expect(existsSync(join(folder, '.credence', 'brief'))).toBe(true);
  // A variable makes no agent read, whoever set it.
  const forced = machine(folder, { ...env, CREDENCE_MODE: 'live' } as Record<string, string>);
  forced.run('sync', '--once');
  expect(agentFiles()).toEqual([]);
  expect(forced.run('brief', '--repo', REPO).stdout).not.toContain(STATEMENT);
});

test('an agent inside its session sees what agents may, and leaves a trace; it reviews nothing', async () => {
  const { folder, run, json, hook, short, id, cited, env } = await claiming();
  await proposeIn(env, 'Another agent’s guess.', cited, {
    observed_by: 'cc-01',
    claim_type: 'hypothesis',
  });
  run('sync', '--once');
  hook('SessionStart', { session_id: 's', source: 'startup' });
  const spool = join(folder, '.credence', 'spool', 'claude-code', 's.ndjson');
  const shown = () =>
    parseSpool(readIfThere(spool) ?? '').lines.flatMap(({ envelope }) =>
      envelope.detail === 'credence claims' ? (envelope.injected_context ?? []) : [],
    );
  // Its own are shown in every mode; the settings say who reads more.
  const own = run('claims', short);
  expect(own.stdout).toContain(STATEMENT);
  expect(shown()).toEqual([{ kind: 'claim', id, source: cited.session, observed_by: 'cc-01' }]);
  expect(run('claims').stderr).toContain('agents read no claims here');
  for (const words of [
    ['review'],
    ['review', short, '--approve', '--basis', 'mine'],
    ['erase', short, '--dry-run'],
    ['fleet', 'revoke', 'cc-01', '--dry-run'],
    ['export', '--all', '--dry-run'],
    ['import-bundle', 'bundle.ndjson'],
    ['bundles', 'other'],
  ])
    expect(json(...words)).toMatchObject({ error: { code: 'person.needed' } });
  expect(json('prove', id)).toMatchObject({ kind: 'entry' });
  // As another agent of the fleet, by the name that its settings give it.
  run('config', 'set', 'agents.claude-code', 'cc-02');
  expect(json('claims')).toEqual([]);
  for (const command of ['claims', 'prove'])
    expect(json(command, short)).toMatchObject({ error: { code: 'claim.unread' } });
  expect(run('search', 'MAX_UPLOAD_BYTES').stdout).not.toContain(short);
  expect(json('claim', 'retire', short, '--reason', 'x')).toMatchObject({
    error: { code: 'claim.author' },
  });
});
