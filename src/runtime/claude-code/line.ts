import { type Instant, readInstant } from '../../base/time.ts';
import {
  countOf,
  defined,
  listOf,
  objectOf,
  textOf,
  type UnknownObject,
} from '../../base/unknown.ts';
import type { Event, Usage } from '../envelope.ts';
import { contentText, toolFailure, toolInput, toolSuccess } from './tool.ts';

/** A line's own contribution, before who, where and when are added. */
export type LineBody = Pick<Event, 'event_type' | 'native'> & Partial<Event>;

/** What a line is: the events that it gives, or the reason why it gives none. */
export type LineReading = { readonly bodies: readonly LineBody[] } | { readonly skip: string };

/** Reads one parsed line of a transcript by its type. */
export function readLine(line: UnknownObject): LineReading {
  const type = textOf(line['type']) ?? 'none';
  switch (type) {
    case 'assistant':
      return { bodies: assistantBodies(line) };
    case 'user':
      return userReading(line);
    case 'system':
      return systemReading(line);
    case 'progress':
      return progressReading(line);
    case 'attachment':
      return attachmentReading(line);
    default:
      return { skip: reason('type', type) };
  }
}

/** A reason is counted and printed, so that a hostile type must not choose its words. */
function reason(kind: string, name: string): string {
  return `${kind}:${/^[a-z][a-z0-9_-]{0,39}$/i.test(name) ? name : 'unknown'}`;
}

function usageOf(message: UnknownObject): Usage | undefined {
  const model = textOf(message['model']);
  const usage = objectOf(message['usage']);
  if (model === '<synthetic>' || Object.keys(usage).length === 0) return undefined;
  return defined({
    response_id: textOf(message['id']),
    model,
    input_tokens: countOf(usage['input_tokens']),
    output_tokens: countOf(usage['output_tokens']),
    cache_read_tokens: countOf(usage['cache_read_input_tokens']),
    cache_write_tokens: countOf(usage['cache_creation_input_tokens']),
  });
}

/** One response is written as several lines that share its id; a line can also hold several blocks. */
function assistantBodies(line: UnknownObject): LineBody[] {
  const message = objectOf(line['message']);
  const usage = defined({ usage: usageOf(message) });
  const uuid = textOf(line['uuid']);
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: LineBody[] = [];
  const content =
    typeof message['content'] === 'string'
      ? [{ type: 'text', text: message['content'] }]
      : listOf(message['content']);
  for (const block of content) {
    const fields = objectOf(block);
    const id = textOf(fields['id']);
    if (fields['type'] === 'text') texts.push(textOf(fields['text']) ?? '');
    else if (fields['type'] === 'thinking') thoughts.push(textOf(fields['thinking']) ?? '');
    else if (fields['type'] === 'tool_use' && id !== undefined) {
      const tool = toolInput(fields['name'], fields['input']);
      calls.push({
        event_type: 'tool_call',
        native: { key: `tool:${id}`, counted: false },
        message_id: id,
        tool,
        ...usage,
      });
    }
  }
  if (calls.length > 0 && texts.length === 0 && thoughts.length === 0) return withUsageOnce(calls);
  const said = texts.length > 0;
  const own: LineBody = {
    event_type: 'assistant',
    native: { key: `assistant:${uuid ?? ''}`, counted: uuid === undefined },
    role: said ? 'assistant' : 'thinking',
    ...defined({
      message_id: uuid,
      content: textOf((said ? texts : thoughts).join('\n').trim()),
      detail: line['isApiErrorMessage'] === true ? 'api_error' : undefined,
    }),
    ...usage,
  };
  const thought = said ? thoughtBody(thoughts, uuid) : undefined;
  if (!thought) return withUsageOnce([own, ...calls]);
  const after = defined({ parent_message_id: thought.message_id });
  return withUsageOnce([{ ...thought, ...usage }, { ...own, ...after }, ...calls]);
}

/** A thought that stands beside a reply, which has the line's id: its own is made of that. */
function thoughtBody(thoughts: readonly string[], uuid: string | undefined): LineBody | undefined {
  const content = textOf(thoughts.join('\n').trim());
  if (content === undefined) return undefined;
  const id = uuid === undefined ? undefined : `${uuid}:thinking`;
  return {
    event_type: 'assistant',
    native: { key: `assistant:${id ?? ''}`, counted: id === undefined },
    role: 'thinking',
    content,
    ...defined({ message_id: id }),
  };
}

/** Figures that name no response can't be told apart later: only the first event of a line keeps them. */
function withUsageOnce(bodies: readonly LineBody[]): LineBody[] {
  return bodies.map(({ usage, ...body }, at) =>
    usage === undefined || (usage.response_id === undefined && at > 0) ? body : { ...body, usage },
  );
}

function userReading(line: UnknownObject): LineReading {
  const { content } = objectOf(line['message']);
  const blocks = listOf(content);
  const isResult = (block: unknown) => objectOf(block)['type'] === 'tool_result';
  const results = blocks.filter(isResult).flatMap((block) => resultBody(objectOf(block), line));
  const text = contentText(
    typeof content === 'string' ? content : blocks.filter((block) => !isResult(block)),
  );
  if (text === undefined && results.length === 0) return { skip: 'user:empty' };
  return { bodies: text === undefined ? results : [...results, userBody(text, line)] };
}

function resultBody(block: UnknownObject, line: UnknownObject): LineBody[] {
  const id = textOf(block['tool_use_id']);
  if (id === undefined) return [];
  const text = contentText(block['content']);
  const structured = line['toolUseResult'];
  const failed = block['is_error'] === true;
  const tool = failed
    ? toolFailure(
        text ?? contentText(structured) ?? '',
        (text ?? '').startsWith('[Request interrupted'),
      )
    : toolSuccess(
        undefined,
        structured !== undefined && typeof structured !== 'string' ? structured : text,
      );
  return [
    {
      event_type: 'tool_call',
      native: { key: `tool:${id}`, counted: false },
      message_id: id,
      tool,
    },
  ];
}

/** What stands in a user's place without being typed by one. */
const MACHINE_TEXT: readonly (readonly [RegExp, string])[] = [
  [/^<local-command-caveat>/, 'meta'],
  [/^<local-command-std(?:out|err)>/, 'command_output'],
  [/^<command-name>/, 'command'],
  [/^<bash-input>/, 'shell_input'],
  [/^<bash-std(?:out|err)>/, 'shell_output'],
  [/^<task-notification>/, 'task_notification'],
  [/^<system-reminder>/, 'meta'],
  [/^\[Request interrupted by user/, 'interrupted'],
];

function userBody(text: string, line: UnknownObject): LineBody {
  const uuid = textOf(line['uuid']);
  const machine = MACHINE_TEXT.find(([pattern]) => pattern.test(text))?.[1];
  const kind =
    line['isMeta'] === true
      ? 'meta'
      : line['isCompactSummary'] === true
        ? 'compact_summary'
        : machine;
  if (kind !== undefined) return otherBody(uuid, kind, text, 'user');
  // A custom command is written as its expansion; the hook saw what was typed.
  const typed =
    /^<command-message>[^<]*<\/command-message>\s*<command-name>([^<]*)<\/command-name>(?:\s*<command-args>([\s\S]*?)<\/command-args>)?/.exec(
      text,
    );
  const content = typed ? `${typed[1] ?? ''} ${typed[2] ?? ''}`.trim() : text;
  return {
    event_type: 'prompt',
    native: { key: 'prompt', counted: true },
    role: 'user',
    content,
    ...defined({ message_id: uuid, turn_id: textOf(line['promptId']) }),
  };
}

function otherBody(
  uuid: string | undefined,
  detail: string,
  content: string | undefined,
  role: 'user' | 'system',
): LineBody {
  return {
    event_type: 'other',
    native: { key: `other:${uuid ?? detail}`, counted: uuid === undefined },
    detail,
    role,
    ...defined({ message_id: uuid, content }),
  };
}

function systemReading(line: UnknownObject): LineReading {
  const subtype = textOf(line['subtype']) ?? 'none';
  const uuid = textOf(line['uuid']);
  switch (subtype) {
    case 'stop_hook_summary':
    case 'turn_duration':
      return {
        bodies: [
          {
            event_type: 'turn_end',
            native: { key: 'turn_end', counted: true },
            ...defined({ message_id: uuid }),
          },
        ],
      };
    case 'compact_boundary': {
      const trigger = textOf(objectOf(line['compactMetadata'])['trigger']) ?? 'auto';
      const native = { key: `compact:${trigger}`, counted: true };
      return {
        bodies: [
          { event_type: 'compact', native, detail: trigger, ...defined({ message_id: uuid }) },
        ],
      };
    }
    case 'api_error':
    case 'local_command':
      return { bodies: [otherBody(uuid, subtype, textOf(line['content']), 'system')] };
    default:
      return { skip: reason('system', subtype) };
  }
}

function progressReading(line: UnknownObject): LineReading {
  const data = objectOf(line['data']);
  const source = /^SessionStart:([a-z]+)$/.exec(textOf(data['hookName']) ?? '')?.[1];
  if (source === undefined) return { skip: reason('progress', textOf(data['type']) ?? 'none') };
  return {
    bodies: [
      {
        event_type: 'session_start',
        native: { key: `start:${source}`, counted: true },
        detail: source,
        ...defined({ message_id: textOf(line['uuid']) }),
      },
    ],
  };
}

function attachmentReading(line: UnknownObject): LineReading {
  const attachment = objectOf(line['attachment']);
  const type = textOf(attachment['type']) ?? 'none';
  if (type !== 'hook_additional_context' && type !== 'queued_command')
    return { skip: reason('attachment', type) };
  const content = contentText(attachment['content']) ?? contentText(attachment['prompt']);
  return { bodies: [otherBody(textOf(line['uuid']), type, content, 'user')] };
}

/** The line's own time, or undefined. */
export function lineTime(line: UnknownObject): Instant | undefined {
  return readInstant(line['timestamp']);
}
