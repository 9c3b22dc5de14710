import type { Step } from './story.ts';

/** A tool call as the transcript keeps it, and what came back. */
export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the model reads. */
  readonly content: unknown;
  /** The runtime's own record of the result. */
  readonly result: unknown;
  /** Left out by the runtime where a tool has no notion of failing. */
  readonly isError?: boolean;
  readonly durationMs: number;
}

/** What a tool step is told about its surroundings. */
export interface Scene {
  readonly cwd: string;
  /** A likely duration in milliseconds, for steps that name none. */
  readonly usualMs: number;
}

type Maker = (step: Step, scene: Scene) => Omit<Call, 'durationMs'>;

const textOf = (step: Step, name: string): string => step.texts.get(name) ?? '';

/** Reads `[x] done`, `[~] doing`, `[ ] waiting`. */
function readTodos(text: string): readonly Readonly<Record<string, string>>[] {
  const status: Readonly<Record<string, string>> = { x: 'completed', '~': 'in_progress' };
  return text.split('\n').map((line) => ({
    content: line.slice(4),
    status: status[line.slice(1, 2)] ?? 'pending',
    activeForm: line.slice(4),
  }));
}

const bash: Maker = (step) => {
  const about = step.options.get('about');
  const input = { command: step.arg, ...(about === undefined ? {} : { description: about }) };
  const stderr = textOf(step, 'err');
  const exit = Number(step.options.get('exit') ?? 0);
  const said = [step.text, stderr].filter((text) => text !== '').join('\n');
  if (exit !== 0) {
    // A failed command leaves one text and no streams: this is all that the runtime keeps of it.
    const content = `Exit code ${exit}\n${said}`;
    return { name: 'Bash', input, content, result: `Error: ${content}`, isError: true };
  }
  const result = { stdout: step.text, stderr, interrupted: false, isImage: false };
  return { name: 'Bash', input, content: said, result, isError: false };
};

const read: Maker = (step, { cwd }) => {
  const path = `${cwd}/${step.arg}`;
  const lines = step.text.split('\n');
  const count = lines.length;
  return {
    name: 'Read',
    input: { file_path: path },
    content: lines.map((line, at) => `${String(at + 1).padStart(6)}→${line}`).join('\n'),
    result: {
      type: 'text',
      file: {
        filePath: path,
        content: step.text,
        numLines: count,
        startLine: 1,
        totalLines: count,
      },
    },
  };
};

const grep: Maker = (step) => ({
  name: 'Grep',
  input: { pattern: step.arg, path: step.options.get('in') ?? '.', output_mode: 'content' },
  content: step.text,
  result: {
    mode: 'content',
    numFiles: 0,
    filenames: [],
    content: step.text,
    numLines: step.text.split('\n').length,
  },
});

const edit: Maker = (step, { cwd }) => {
  const path = `${cwd}/${step.arg}`;
  const oldString = textOf(step, 'old');
  const newString = textOf(step, 'new');
  const [before, after] = [oldString.split('\n'), newString.split('\n')];
  const start = Number(step.options.get('line') ?? 1);
  const hunk = {
    oldStart: start,
    oldLines: before.length,
    newStart: start,
    newLines: after.length,
    lines: [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)],
  };
  return {
    name: 'Edit',
    input: { file_path: path, old_string: oldString, new_string: newString, replace_all: false },
    content: `The file ${path} has been updated successfully.`,
    result: {
      filePath: path,
      oldString,
      newString,
      originalFile: null,
      structuredPatch: [hunk],
      userModified: false,
      replaceAll: false,
    },
  };
};

const write: Maker = (step, { cwd }) => {
  const path = `${cwd}/${step.arg}`;
  return {
    name: 'Write',
    input: { file_path: path, content: step.text },
    content: `File created successfully at: ${path}`,
    result: {
      type: 'create',
      filePath: path,
      content: step.text,
      structuredPatch: [],
      originalFile: null,
    },
  };
};

const todo: Maker = (step) => ({
  name: 'TodoWrite',
  input: { todos: readTodos(step.text) },
  content: 'The todo list was updated.',
  result: { oldTodos: [], newTodos: readTodos(step.text) },
});

const task: Maker = (step) => {
  const space = step.arg.indexOf(' ');
  const prompt = textOf(step, 'prompt');
  const content = [{ type: 'text', text: step.text }];
  const ms = Number(step.options.get('took') ?? 0);
  return {
    name: 'Task',
    input: { description: step.arg.slice(space + 1), subagent_type: 'Explore', prompt },
    content,
    result: {
      status: 'completed',
      prompt,
      agentId: step.arg.slice(0, space),
      content,
      totalDurationMs: ms,
      totalTokens: 11_840,
      totalToolUseCount: 3,
    },
  };
};

const MAKERS: ReadonlyMap<string, Maker> = new Map(
  Object.entries({ bash, read, grep, edit, write, todo, task }),
);

/** The call that a step tells of, or undefined where the step is no tool call. `-- took` is in milliseconds. */
export function callOf(step: Step, scene: Scene): Call | undefined {
  const made = MAKERS.get(step.kind)?.(step, scene);
  if (made === undefined) return undefined;
  return { ...made, durationMs: Number(step.options.get('took') ?? scene.usualMs) };
}
