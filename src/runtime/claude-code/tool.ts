import { countOf, defined, jsonOf, listOf, objectOf, textOf } from '../../base/unknown.ts';
import type { ToolCall } from '../envelope.ts';

/** Inputs of the built-in tools that name a file. A shell command's files are not guessed. */
const PATH_FIELDS = ['file_path', 'notebook_path', 'path'] as const;

/** The call's side of a tool event: name, input as JSON text, and the files that the input names. */
export function toolInput(name: unknown, input: unknown): ToolCall {
  const fields = objectOf(input);
  const paths = PATH_FIELDS.flatMap((field) => textOf(fields[field]) ?? []);
  return defined({
    name: textOf(name),
    input: jsonOf(input),
    paths: paths.length > 0 ? paths : undefined,
  });
}

/** The text of message content: a string, or the text blocks of a list; other blocks leave a mark. */
export function contentText(content: unknown): string | undefined {
  if (typeof content === 'string') return content === '' ? undefined : content;
  const texts = listOf(content).flatMap((block) => {
    const { type, text } = objectOf(block);
    if (type === 'text') return textOf(text) ?? [];
    return type === 'image' || type === 'document' ? [`[${type}]`] : [];
  });
  return texts.length > 0 ? texts.join('\n') : undefined;
}

/** How a failed call is worded: by the shell tool with its exit code, by the others without. */
export function toolFailure(error: string, interrupted: boolean): ToolCall {
  const code = /^(?:Error: )?Exit code (\d{1,3})\b/.exec(error)?.[1];
  const denied =
    /^(?:Error: )?(?:The user doesn't want to (?:proceed|take)|User rejected tool use|Permission to use)/.test(
      error,
    );
  return defined({
    result: error,
    exit_code: code === undefined ? undefined : Number(code),
    outcome: interrupted
      ? ('interrupted' as const)
      : denied
        ? ('denied' as const)
        : ('error' as const),
  });
}

/** The text that the tool's structured response stands for, without copies of whole files that an edit also reports. */
function responseText(response: unknown): string | undefined {
  if (typeof response === 'string' || Array.isArray(response)) return contentText(response);
  const fields = objectOf(response);
  if ('stdout' in fields || 'stderr' in fields) {
    const parts = [textOf(fields['stdout']), textOf(fields['stderr'])].filter(
      (part) => part !== undefined,
    );
    return parts.length > 0 ? parts.join('\n') : undefined;
  }
  const file = objectOf(fields['file']);
  if (textOf(file['content'])) return textOf(file['content']);
  if ('structuredPatch' in fields || 'originalFile' in fields) return undefined;
  const content = contentText(fields['content']);
  if (content !== undefined) return content;
  const names = listOf(fields['filenames']).filter((name) => typeof name === 'string');
  if (names.length > 0) return names.join('\n');
  return Object.keys(fields).length > 0 ? jsonOf(response) : undefined;
}

/**
 * The result's side of a successful call. The runtime reports a failing shell command as an error, so that a
 * shell command without one ended with 0, unless it was interrupted, went to the background, or its code was
 * read as a finding (`grep` without a match): then the code is not known.
 */
export function toolSuccess(name: string | undefined, response: unknown): ToolCall {
  const fields = objectOf(response);
  const interrupted = fields['interrupted'] === true;
  const shell = name === 'Bash' || ('stdout' in fields && 'stderr' in fields);
  const unsure =
    interrupted || textOf(fields['returnCodeInterpretation']) || textOf(fields['backgroundTaskId']);
  return defined({
    result: responseText(response),
    exit_code: shell && !unsure ? 0 : undefined,
    outcome: interrupted ? ('interrupted' as const) : ('ok' as const),
    duration_ms: countOf(fields['durationMs']) ?? countOf(fields['totalDurationMs']),
  });
}
