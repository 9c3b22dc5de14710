import { CredenceError } from '../../src/base/errors.ts';
import { readInstant, toMs } from '../../src/base/time.ts';

/**
 * One thing that happens: `== kind argument`, then its text. Inside it, `-- name value` is an option on one
 * line, and `-- name` alone begins a further text, as a command's standard error.
 */
export interface Step {
  readonly kind: string;
  readonly arg: string;
  readonly text: string;
  readonly options: ReadonlyMap<string, string>;
  readonly texts: ReadonlyMap<string, string>;
}

/** One transcript file as told in `samples/story`: a head of `key: value` lines, an empty line, steps. */
export interface Story {
  /** The file's name without its ending; it seeds every id of the transcript. */
  readonly name: string;
  readonly head: ReadonlyMap<string, string>;
  readonly steps: readonly Step[];
}

function refuse(name: string, what: string): CredenceError {
  return new CredenceError('incorrect', 'sample.story', `samples/story/${name}.txt: ${what}`, {
    next: 'correct the story, then run scripts/make-samples.ts again',
  });
}

/** A word and the rest of its line. */
function split(line: string): readonly [string, string] {
  const space = line.indexOf(' ');
  return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
}

/** The lines as one text, without the empty lines at both ends; indentation stays. */
function trimLines(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first < 0 ? '' : lines.slice(first, last + 1).join('\n');
}

function readStep(block: readonly string[]): Step {
  const [kind, arg] = split(block[0] ?? '');
  const options = new Map<string, string>();
  const own: string[] = [];
  const further = new Map<string, string[]>();
  let open = own;
  for (const line of block.slice(1)) {
    const [name, value] = line.startsWith('-- ') ? split(line.slice(3)) : ['', ''];
    if (name === '') open.push(line);
    else if (value !== '') options.set(name, value);
    else {
      open = [];
      further.set(name, open);
    }
  }
  const texts = new Map([...further].map(([name, lines]) => [name, trimLines(lines)]));
  return { kind, arg, text: trimLines(own), options, texts };
}

/** Reads one story. Throws `sample.story` where a head line has no colon or there is no step. */
export function readStory(name: string, text: string): Story {
  const lines = text.split('\n');
  const gap = lines.indexOf('');
  const head = new Map<string, string>();
  for (const line of lines.slice(0, gap)) {
    const colon = line.indexOf(': ');
    if (colon < 1) throw refuse(name, `the head line '${line}' is not 'key: value'`);
    head.set(line.slice(0, colon), line.slice(colon + 2));
  }
  const blocks: string[][] = [];
  for (const line of lines.slice(gap)) {
    if (line.startsWith('== ')) blocks.push([line.slice(3)]);
    else blocks.at(-1)?.push(line);
  }
  if (blocks.length === 0) throw refuse(name, 'it has no step');
  return { name, head, steps: blocks.map(readStep) };
}

/** A value that the head must have. Throws `sample.story` without it. */
export function headOf(story: Story, key: string): string {
  const value = story.head.get(key);
  if (value === undefined) throw refuse(story.name, `the head lacks '${key}'`);
  return value;
}

/** Milliseconds of an instant that the story gives. Throws `sample.story` where it is none. */
export function momentOf(story: Story, text: string): number {
  const instant = readInstant(text);
  if (instant === undefined) throw refuse(story.name, `'${text}' is not an instant in UTC`);
  return toMs(instant);
}

/** The error for a step of no known kind. */
export function unknownStep(story: Story, step: Step): CredenceError {
  return refuse(story.name, `there is no step of kind '${step.kind}'`);
}
