import { headOf, type Step, type Story } from './story.ts';
import { play, sessionIdOf, type Transcript } from './transcript.ts';

/** The remote of the one repository that every session works on. */
const REMOTE = 'github.com/example/tidepool';

// Joined here, so that only the finished sample holds a value that a secret rule catches.
const DB_URL = ['postgres:', '', 'app:not-a-real-password@db.internal', 'tide'].join('/');

/** The runtime's name for a working directory: whatever is no letter or digit becomes a dash. */
function munge(cwd: string): string {
  return cwd.replaceAll(/[^A-Za-z0-9]/g, '-');
}

/** Where a story's transcript lies, below `samples/`. */
export function transcriptPath(story: Story): string {
  const home = headOf(story, 'home');
  const folder = `fleet/${home}/.claude/projects/${munge(headOf(story, 'cwd'))}`;
  const agent = story.head.get('subagent');
  const session = sessionIdOf(story.head.get('parent') ?? story.name);
  if (agent === undefined) return `${folder}/${session}.jsonl`;
  return `${folder}/${session}/subagents/agent-${agent}.jsonl`;
}

/** How a transcript names a handoff: the first 12 hex digits of the session that left it. */
function handoffMark(name: string): string {
  return sessionIdOf(name).replaceAll('-', '').slice(0, 12);
}

const HANDOFF_MARK = /\{\{handoff:([a-z0-9-]+)\}\}/g;

function render(story: Story, transcript: Transcript): string {
  const text = transcript.lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const whole = text
    .replaceAll('{{db-url}}', DB_URL)
    .replaceAll(HANDOFF_MARK, (_mark, name: string) => handoffMark(name));
  if (story.head.get('torn') !== 'yes') return whole;
  // A write that the machine did not live to finish: the last line stops in its middle.
  const start = whole.lastIndexOf('\n', whole.length - 2) + 1;
  return whole.slice(0, start + Math.floor((whole.length - start) * 0.6));
}

interface Handoff {
  readonly agent: string;
  readonly session: string;
  readonly at: string;
  readonly status: string;
  readonly summary: string;
  readonly next: string;
}

function handoffOf(story: Story, note: Step, done: Transcript): Handoff {
  return {
    agent: headOf(story, 'agent'),
    session: done.sessionId,
    at: done.endedAt,
    status: note.arg,
    summary: note.text.replaceAll('\n', ' '),
    next: note.texts.get('next')?.replaceAll('\n', ' ') ?? '',
  };
}

/** The sessions whose handoffs a story's context puts before it. */
function shownTo(story: Story): readonly string[] {
  const texts = story.steps.filter((step) => step.kind === 'context').map((step) => step.text);
  const names = [...texts.join('\n').matchAll(HANDOFF_MARK)].map(([, name = '']) =>
    sessionIdOf(name),
  );
  return [...new Set(names)];
}

/** The JSON files of the fleet are read by people too: two spaces, a final newline. */
function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function sorted<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
}

/**
 * All files of the fleet: path below `samples/` → text. A story's last step may be `handoff`, the note that
 * its agent leaves; it goes to `handoffs.json`, not into the transcript. The same stories give the same bytes.
 */
export function buildFleet(stories: readonly Story[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const handoffs: Handoff[] = [];
  for (const story of stories) {
    const note = story.steps.find((step) => step.kind === 'handoff');
    const steps = story.steps.filter((step) => step !== note);
    const done = play({ ...story, steps });
    files.set(transcriptPath(story), render(story, done));
    if (note !== undefined) handoffs.push(handoffOf(story, note, done));
  }
  const repos = sorted(stories.map((story) => [headOf(story, 'cwd'), REMOTE]));
  const agents = sorted(stories.map((story) => [headOf(story, 'home'), headOf(story, 'agent')]));
  const shown = stories.map((story) => [sessionIdOf(story.name), shownTo(story)] as const);
  files.set('fleet/shown.json', toJson(sorted(shown.filter(([, before]) => before.length > 0))));
  files.set('fleet/repos.json', toJson(repos));
  files.set('fleet/agents.json', toJson(agents));
  files.set('fleet/handoffs.json', toJson(handoffs));
  return files;
}
