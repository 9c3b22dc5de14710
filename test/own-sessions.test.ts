import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { requestOf } from '../src/extract/prompt.ts';
import { place, stillWorld, tempFolder } from './kit/home.ts';
import { ModelHome } from './kit/model-home.ts';

const NOW = Date.UTC(2026, 2, 12, 12);
const OWN = requestOf({ session: 'other', repo: undefined }, 1, [], []).prompt;

const line = (session: string, uuid: string, text: string) =>
  `${JSON.stringify({
    type: 'user',
    uuid,
    parentUuid: null,
    sessionId: session,
    cwd: '/srv/web',
    version: '2.1.0',
    timestamp: '2026-03-02T09:00:00.000Z',
    isSidechain: false,
    message: { role: 'user', content: text },
  })}\n`;

async function imported(files: Record<string, string>): Promise<string[]> {
  const folder = tempFolder('own');
  const history = join(folder, 'history');
  for (const [name, text] of Object.entries(files))
    place(join(history, 'projects', '-srv-web', name), text);
  const home = new ModelHome(folder, stillWorld(NOW), history);
  home.configure('[agents]\nclaude-code = "cc-01"\n');
  await home.setUp();
  await home.import();
  await home.import();
  return (await home.rows('sessions')).map(({ key }) => key);
}

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'bbbbbbbb-0000-4000-8000-000000000002';

describe('transcripts of an extractor', () => {
  test('are not imported, nor are those of its subagents', async () => {
    const sessions = await imported({
      [`${A}.jsonl`]: `{"type":"summary","summary":"x","leafUuid":"u"}\n${line(A, 'u1', `Please answer.\n${OWN}`)}`,
      [`${A}/subagents/agent-1.jsonl`]: line(A, 'u2', 'look into it'),
      [`${B}.jsonl`]: line(B, 'u3', 'Fix the tests.'),
    });
    expect(sessions).toEqual([B]);
  });

  test('are known by their first prompt alone: a person may speak of the mark', async () => {
    const sessions = await imported({
      [`${B}.jsonl`]: line(B, 'u1', 'Fix the tests.') + line(B, 'u2', OWN),
    });
    expect(sessions).toEqual([B]);
  });
});
