import { truncateUtf8 } from '../base/text.ts';
import { jsonIn, objectOf, textOf } from '../base/unknown.ts';
import type { Digest } from '../record/digest.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { toolKind } from '../runtime/tool-kind.ts';
import { commandName, commitsIn, exitIsOfTests, isTestRun } from './command.ts';

const PATH_BYTES_MAX = 200;
const FAILURES_MIN = 3;
const EDITS_MIN = 5;

type FileLine = Digest['files'][number];
type CommandLine = Digest['commands'][number];

/** A tool call that ended badly. One that a person refused or interrupted did not fail, and one without a result is not known. */
export function failed(event: Envelope): boolean {
  const { outcome, exit_code } = event.tool ?? {};
  return outcome === 'error' || (exit_code !== undefined && exit_code !== 0);
}

/** A test run that only ended well because of what stands after it did not pass: it is not known how it ended. */
function knownExit(isTest: boolean, text: string, exit: number | undefined): number | '?' {
  if (exit === undefined) return '?';
  return exit === 0 && isTest && !exitIsOfTests(text) ? '?' : exit;
}

function shellCommand(call: Envelope): string | undefined {
  if (toolKind(call.tool?.name) !== 'shell' || call.tool?.input === undefined) return undefined;
  // An input that was cut is no JSON any more; its command is not known.
  return textOf(objectOf(jsonIn(call.tool.input))['command']);
}

/** A run of tests of which it is known how it ended: the command's name, and whether they passed. Undefined for any other call. */
export function testRunOf(
  call: Envelope,
): { readonly command: string; readonly passed: boolean } | undefined {
  const text = shellCommand(call);
  if (text === undefined || !isTestRun(text)) return undefined;
  const exit = knownExit(true, text, call.tool?.exit_code);
  return exit === '?' ? undefined : { command: commandName(text), passed: exit === 0 };
}

/** Adds up what a session's tool calls did: files, commands, tests, commits. */
export class WorkTally {
  #calls = 0;
  #errors = 0;
  #edits = 0;
  #trailing = 0;
  #root: string | undefined;
  readonly #files = new Map<string, FileLine>();
  readonly #commands = new Map<string, CommandLine>();
  /** Names of commands that run tests: the name alone, on one line and cut, can't say. */
  readonly #testRuns = new Set<string>();
  readonly #commits = new Map<string, Digest['commits'][number]>();

  /** Paths are named from the folder in which the session began. */
  startIn(folder: string | undefined): void {
    this.#root ??= folder;
  }

  /** Failures at the end, in a row. */
  get trailingFailures(): number {
    return this.#trailing;
  }

  add(call: Envelope): void {
    const bad = failed(call);
    this.#calls += 1;
    this.#errors += bad ? 1 : 0;
    // A call whose result is not known ends no row of failures: it may never have run.
    if (call.tool?.outcome !== undefined) this.#trailing = bad ? this.#trailing + 1 : 0;
    this.#addFiles(call);
    const command = shellCommand(call);
    if (command !== undefined) this.#addCommand(command, call, bad);
  }

  #addFiles(call: Envelope): void {
    const kind = toolKind(call.tool?.name);
    const { outcome = 'ok' } = call.tool ?? {};
    if ((kind !== 'read' && kind !== 'edit') || outcome !== 'ok') return;
    for (const name of call.tool?.paths ?? []) {
      const inside = this.#root !== undefined && name.startsWith(`${this.#root}/`);
      const path = truncateUtf8(
        inside ? name.slice((this.#root?.length ?? 0) + 1) : name,
        PATH_BYTES_MAX,
      );
      const known = this.#files.get(path) ?? { path, reads: 0, edits: 0 };
      const isEdit = kind === 'edit' ? 1 : 0;
      this.#edits += isEdit;
      this.#files.set(path, { path, reads: known.reads + 1 - isEdit, edits: known.edits + isEdit });
    }
  }

  #addCommand(text: string, call: Envelope, bad: boolean): void {
    const command = commandName(text);
    const known = this.#commands.get(command);
    const isTest = isTestRun(text);
    if (isTest) this.#testRuns.add(command);
    this.#commands.set(command, {
      command,
      runs: (known?.runs ?? 0) + 1,
      failed: (known?.failed ?? 0) + (bad ? 1 : 0),
      exit: knownExit(isTest, text, call.tool?.exit_code),
    });
    for (const commit of commitsIn(text, call.tool?.result ?? ''))
      this.#commits.set(commit.sha, commit);
  }

  finish(outcome: Digest['outcome']) {
    const files = [...this.#files.values()].sort(
      (a, b) => b.edits - a.edits || b.reads - a.reads || (a.path < b.path ? -1 : 1),
    );
    const commands = [...this.#commands.values()].sort(
      (a, b) => b.failed - a.failed || b.runs - a.runs || (a.command < b.command ? -1 : 1),
    );
    return {
      tool_calls: this.#calls,
      tool_errors: this.#errors,
      worked: this.#edits > 0 || this.#calls >= 3,
      files,
      commands: commands.filter((line) => !this.#testRuns.has(line.command)),
      tests: commands.filter((line) => this.#testRuns.has(line.command)),
      commits: [...this.#commits.values()],
      friction: this.#friction(outcome, commands, files),
    };
  }

  #friction(
    outcome: Digest['outcome'],
    commands: readonly CommandLine[],
    files: readonly FileLine[],
  ): Digest['friction'] {
    const count = this.#trailing;
    const gaveUp = outcome === 'abandoned' && count >= FAILURES_MIN;
    const failures = commands.filter((line) => line.failed >= FAILURES_MIN);
    const edits = files.filter((file) => file.edits >= EDITS_MIN);
    return [
      ...(gaveUp ? [{ kind: 'abandoned_after_failures' as const, count }] : []),
      ...failures.map((line) => ({
        kind: 'repeated_failure' as const,
        command: line.command,
        count: line.failed,
      })),
      ...edits.map((file) => ({
        kind: 'repeated_edit' as const,
        path: file.path,
        count: file.edits,
      })),
    ];
  }
}
