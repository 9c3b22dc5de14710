import { sha256Hex } from '../../src/base/hash.ts';
import { toInstant } from '../../src/base/time.ts';
import { chance, uuidOf } from './chance.ts';
import { headOf, momentOf, type Step, type Story, unknownStep } from './story.ts';
import { chain, type Line, pass, spend, type Tape, tokensOf } from './tape.ts';
import { type Call, callOf } from './tool.ts';

/** A finished transcript. */
export interface Transcript {
  readonly sessionId: string;
  readonly lines: readonly Line[];
  /** The instant of the last line. */
  readonly endedAt: string;
}

/** The session id of the story of that name. */
export function sessionIdOf(name: string): string {
  return uuidOf(sha256Hex(`session/${name}`));
}

/** A call that takes this long is shown while it runs. */
const SLOW_MS = 6_000;

type Block = Readonly<Record<string, unknown>>;

/** Writes one response of the model: a line for each block, all with one message id and one usage. */
function respond(tape: Tape, blocks: readonly Block[], reason: 'tool_use' | 'end_turn'): string {
  const id = tape.chance.token('msg_01', 22);
  const requestId = tape.chance.token('req_011C', 20);
  const output = tape.chance.between(6, 40) + tokensOf(JSON.stringify(blocks));
  const usage = spend(tape, output);
  pass(tape, 2_100 + 15 * output, 7_400 + 25 * output);
  let last = '';
  blocks.forEach((block, at) => {
    const message = {
      model: tape.voice.model,
      id,
      type: 'message',
      role: 'assistant',
      content: [block],
      stop_reason: at === blocks.length - 1 ? reason : null,
      stop_sequence: null,
      usage,
    };
    last = chain(tape, { message, requestId, type: 'assistant' });
    pass(tape, 240, 1_300);
  });
  return last;
}

function hookLine(tape: Tape, event: string, source: string): void {
  const id = tape.chance.uuid();
  const data = {
    type: 'hook_progress',
    hookEvent: event,
    hookName: `${event}:${source}`,
    command: '.claude/hooks/session-start.sh',
  };
  chain(tape, { type: 'progress', data, parentToolUseID: id, toolUseID: id });
  pass(tape, 20, 90);
}

/** What the runtime shows while a call runs: the subagent's task, or that a slow command has printed nothing yet. */
function progressLine(tape: Tape, call: Call, toolUseId: string): void {
  if (call.name === 'Task') {
    const { prompt, agentId } = call.result as { prompt: string; agentId: string };
    const message = { type: 'user', message: { role: 'user', content: prompt } };
    const data = { message, normalizedMessages: [], type: 'agent_progress', prompt, agentId };
    const toolUseID = tape.chance.token('agent_msg_01', 22);
    chain(tape, { type: 'progress', data, toolUseID, parentToolUseID: toolUseId });
  } else if (call.name === 'Bash' && call.durationMs >= SLOW_MS) {
    const shown = { output: '', fullOutput: '', elapsedTimeSeconds: 2, totalLines: 0 };
    const data = { type: 'bash_progress', ...shown, timeoutMs: 120_000 };
    chain(tape, {
      type: 'progress',
      data,
      toolUseID: 'bash-progress-0',
      parentToolUseID: toolUseId,
    });
  }
}

/** Writes a response that ends in a call, and the call's result. */
function use(tape: Tape, before: readonly Block[], call: Call): void {
  const id = tape.chance.token('toolu_01', 22);
  const block = { type: 'tool_use', id, name: call.name, input: call.input };
  const source = respond(tape, [...before, block], 'tool_use');
  const start = tape.at;
  if (call.durationMs >= SLOW_MS) tape.at += 2_000;
  progressLine(tape, call, id);
  tape.at = start + call.durationMs;
  const result = {
    tool_use_id: id,
    type: 'tool_result',
    content: call.content,
    ...(call.isError === undefined ? {} : { is_error: call.isError }),
  };
  const message = { role: 'user', content: [result] };
  // The result hangs on the call, not on the progress in between.
  chain(
    tape,
    { type: 'user', message, toolUseResult: call.result, sourceToolAssistantUUID: source },
    source,
  );
  tape.fresh += tokensOf(JSON.stringify(call.content));
}

function prompt(tape: Tape, text: string): void {
  if (tape.prompts++ > 0) pass(tape, 38_000, 240_000);
  tape.turnStart = tape.at;
  tape.fresh += tokensOf(text);
  const message = { role: 'user', content: text };
  if (tape.voice.agentId !== undefined) {
    chain(tape, { type: 'user', message });
    return;
  }
  const place = tape.lines.length;
  const messageId = chain(tape, { type: 'user', message, todos: [], permissionMode: 'default' });
  const snapshot = { messageId, trackedFileBackups: {}, timestamp: toInstant(tape.at) };
  const line = { type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: false };
  tape.lines.splice(place, 0, line); // the runtime writes it ahead of the prompt that it names
}

/** Ends the turn, where one is open: the runtime notes how long it took. */
function endTurn(tape: Tape): void {
  if (tape.turnStart === undefined || tape.voice.agentId !== undefined) return;
  const durationMs = tape.at - tape.turnStart;
  tape.turnStart = undefined;
  chain(tape, { type: 'system', subtype: 'turn_duration', durationMs, isMeta: false });
}

/** Text put before the agent: by a hook as an attachment, or as a reminder in the user's place. */
function context(tape: Tape, step: Step): void {
  tape.fresh += tokensOf(step.text);
  if (step.arg === 'hook') {
    const attachment = {
      type: 'hook_additional_context',
      content: [step.text],
      hookName: 'SessionStart',
      toolUseID: 'SessionStart',
      hookEvent: 'SessionStart',
    };
    chain(tape, { type: 'attachment', attachment });
  } else {
    const content = `<system-reminder>\n${step.text}\n</system-reminder>`;
    chain(tape, { type: 'user', message: { role: 'user', content }, isMeta: true });
  }
}

/** A compaction cuts the chain: the boundary has no parent, and names the line that it follows. */
function compact(tape: Tape, step: Step): void {
  const preTokens = tape.cached + tape.fresh;
  const fields = {
    type: 'system',
    subtype: 'compact_boundary',
    logicalParentUuid: tape.parent,
    content: 'Conversation compacted',
    isMeta: false,
    level: 'info',
    compactMetadata: { trigger: step.arg, preTokens },
  };
  pass(tape, 9_000, 20_000);
  chain(tape, fields, null);
  const message = { role: 'user', content: step.text };
  chain(tape, {
    type: 'user',
    message,
    isVisibleInTranscriptOnly: true,
    isCompactSummary: true,
  });
  tape.cached = 0;
  tape.fresh = 16_200 + tokensOf(step.text);
}

/** Every step that is neither the model's text nor a tool call. */
function happen(tape: Tape, story: Story, step: Step): void {
  switch (step.kind) {
    case 'prompt':
      prompt(tape, step.text);
      break;
    case 'context':
      context(tape, step);
      break;
    case 'compact':
      compact(tape, step);
      break;
    case 'branch':
      tape.branch = step.arg;
      break;
    case 'resume':
      tape.leaf = tape.parent ?? undefined;
      tape.at = momentOf(story, step.arg);
      hookLine(tape, 'SessionStart', 'resume');
      break;
    default:
      throw unknownStep(story, step);
  }
}

function openTape(story: Story): Tape {
  const agentId = story.head.get('subagent');
  const row = chance(story.name);
  return {
    voice: {
      sessionId: sessionIdOf(story.head.get('parent') ?? story.name),
      cwd: headOf(story, 'cwd'),
      version: headOf(story, 'version'),
      model: headOf(story, 'model'),
      ...(agentId === undefined ? {} : { agentId }),
    },
    chance: row,
    lines: [],
    at: momentOf(story, headOf(story, 'at')) + row.between(0, 999),
    branch: headOf(story, 'branch'),
    parent: null,
    turnStart: undefined,
    prompts: 0,
    leaf: undefined,
    cached: agentId === undefined ? 9_300 : 0,
    fresh: row.between(5_200, 9_900),
  };
}

/**
 * Plays a story into the lines of its transcript. Throws `sample.story` at a step of no known
 * kind and at a gap in the head.
 */
export function play(story: Story): Transcript {
  const tape = openTape(story);
  if (tape.voice.agentId === undefined) hookLine(tape, 'SessionStart', 'startup');
  let said: Block[] = [];
  const finish = (): void => {
    if (said.length === 0) return;
    respond(tape, said, 'end_turn');
    said = [];
    endTurn(tape);
  };
  for (const step of story.steps) {
    const call = callOf(step, { cwd: tape.voice.cwd, usualMs: tape.chance.between(90, 1_400) });
    if (call !== undefined) {
      use(tape, said, call);
      said = [];
    } else if (step.kind === 'say') said.push({ type: 'text', text: step.text });
    else if (step.kind === 'think')
      said.push({ type: 'thinking', thinking: step.text, signature: '' });
    else {
      finish();
      happen(tape, story, step);
    }
  }
  finish();
  const summary = story.head.get('summary');
  if (summary !== undefined && tape.leaf !== undefined) {
    tape.lines.unshift({ type: 'summary', summary, leafUuid: tape.leaf });
  }
  return { sessionId: tape.voice.sessionId, lines: tape.lines, endedAt: toInstant(tape.at) };
}
