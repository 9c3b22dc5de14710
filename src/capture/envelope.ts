import { hashParts, sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { shortId } from '../base/short-id.ts';
import { CUT_MARK, cleanText, truncateUtf8 } from '../base/text.ts';
import { defined } from '../base/unknown.ts';
import type { Event, Injected } from '../runtime/envelope.ts';
import type { Checkout } from '../runtime/repo.ts';
import { redactApart } from './asked.ts';
import { isPlaceholder } from './redact/span.ts';
import { rulesOf, withholdText } from './redact/text.ts';
import { type RedactedEvent, redactEvent } from './redact.ts';
import { UNCONFIGURED } from './settings.ts';
import type { SpooledEnvelope, Unnamed } from './spool.ts';

/** Who and where, added to an event on every path: hook, import and reconciliation. */
export interface Circumstance {
  readonly runtime: string;
  readonly fleetId: string;
  readonly hostId: string;
  /** Runtime → agent id. */
  readonly agents: Readonly<Record<string, string>>;
  readonly checkout: Checkout | undefined;
  readonly injected: readonly Injected[];
  readonly policy: { readonly secret: () => Uint8Array; readonly deniedPaths: readonly string[] };
  readonly origin?: 'imported' | 'reconciled';
}

/** As much of a text as is redacted, which is all that a hook can hear of: lines of transcripts can be longer. */
const TEXT_LENGTH_MAX = LIMIT.hook_payload_bytes_max;
/** Not shown of what was cut before: a secret there may have lost the end by which it is known. None of those is longer. */
const MARGIN = 64 * 1024;
/** What was held back from one event, for review: far more than anyone looks at. */
const WITHHELD_MAX = 5_000;

/** The longest path that a system takes, and far more than any other short field needs. */
const FIELD_BYTES_MAX = 4_096;
const PATHS_MAX = 100;
/** As long as a session's id in a record, and as two ids with a mark between them. */
const ID_LENGTH_MAX = 256;

const field = (text: string | undefined) =>
  text === undefined ? undefined : truncateUtf8(text, FIELD_BYTES_MAX);
const id = (text: string | undefined) =>
  text === undefined ? undefined : shortId(text, ID_LENGTH_MAX);

/** Bounds what is no content: ids are shortened without becoming equal, other fields are cut with a mark. */
function boundFields<T extends Omit<Event, 'native'>>(event: T): T {
  const { tool, usage } = event;
  return {
    ...event,
    session_id: shortId(event.session_id, ID_LENGTH_MAX),
    ...defined({
      parent_session_id: id(event.parent_session_id),
      turn_id: id(event.turn_id),
      message_id: id(event.message_id),
      parent_message_id: id(event.parent_message_id),
      runtime_version: field(event.runtime_version),
      detail: field(event.detail),
      cwd: field(event.cwd),
      branch: field(event.branch),
      git_sha: field(event.git_sha),
      usage: usage && {
        ...usage,
        ...defined({ model: field(usage.model), response_id: id(usage.response_id) }),
      },
      tool: tool && {
        ...tool,
        ...defined({
          name: field(tool.name),
          paths: tool.paths?.slice(0, PATHS_MAX).map((path) => truncateUtf8(path, FIELD_BYTES_MAX)),
        }),
      },
    }),
  };
}

/** The texts of an event, each changed: content, and of a tool call input and result. */
function mapTexts<T extends Pick<Event, 'content' | 'tool'>>(
  event: T,
  change: (text: string, field: 'content' | 'input' | 'result') => string,
): T {
  const { tool, content } = event;
  const { input, result } = tool ?? {};
  return {
    ...event,
    ...defined({
      content: content === undefined ? undefined : change(content, 'content'),
      tool: tool && {
        ...tool,
        ...defined({
          input: input === undefined ? undefined : change(input, 'input'),
          result: result === undefined ? undefined : change(result, 'result'),
        }),
      },
    }),
  };
}

/**
 * Redacts an event before anything of it is cut: a cut can leave half of a secret, and an input that is cut is no JSON
 * any more, of which nobody can say what the call touched.
 */
function redacted(event: Event, policy: Circumstance['policy']): RedactedEvent {
  const { asked, ...own } = mapTexts(event, cleanText);
  const { input, result, ...tool } = own.tool ?? {};
  const isOversize = input !== undefined && input.length > TEXT_LENGTH_MAX;
  const judge = isOversize ? 'unknown' : asked;
  if (own.tool === undefined || judge === undefined)
    return redactEvent(mapTexts(own, beginning), policy);
  const rest = redactEvent(mapTexts({ ...own, tool }, beginning), policy);
  const inputApart = isOversize ? withholdText(input, 'oversize', policy) : undefined;
  const resultApart =
    result === undefined ? undefined : redactApart(beginning(result), judge, policy);
  const parts = [inputApart, resultApart].filter((part) => part !== undefined);
  const withheld = [...rest.withheld, ...parts.flatMap(({ values }) => values)];
  const isWhole = rest.redaction.status === 'withheld' || parts.some((part) => part.withheld);
  const status = isWhole ? 'withheld' : withheld.length > 0 ? 'redacted' : 'clean';
  const texts = defined({ input: inputApart?.text, result: resultApart?.text });
  return {
    event: { ...rest.event, tool: { ...rest.event.tool, ...texts } },
    redaction: { status, rules_fired: rulesOf(withheld) },
    withheld,
  };
}

function beginning(text: string): string {
  return text.length > TEXT_LENGTH_MAX ? cleanText(text.slice(0, TEXT_LENGTH_MAX)) : text;
}

/** Of a redacted text as much as is kept; `length` is that of the text as it came. */
function kept(text: string, length: number): string {
  const isWhole = length <= TEXT_LENGTH_MAX || isPlaceholder(text);
  const safe = isWhole ? text : cleanText(text.slice(0, -MARGIN)) + CUT_MARK;
  return truncateUtf8(safe, LIMIT.envelope_text_bytes_max);
}

/** The prompt's own text as both the hook and the transcript have it: white space is not a difference. */
export function promptKey(content: string): string {
  return `prompt:${sha256Hex(content.normalize('NFC').replace(/\s+/g, ' ').trim()).slice(0, 32)}`;
}

/** A key that ends in the event's detail ends in it as it is written: no word of a payload gets past redaction. */
function nativeKey(event: Event, clean: Pick<Event, 'detail' | 'content'>): string {
  const { native, detail } = event;
  if (native.key === 'prompt') return promptKey(clean.content ?? '');
  const isNamed = detail !== undefined && native.key.endsWith(`:${detail}`);
  const key = isNamed
    ? native.key.slice(0, native.key.length - detail.length) + clean.detail
    : native.key;
  return shortId(key, ID_LENGTH_MAX);
}

/**
 * An event → the envelope that may be written: redacted, bounded, hashed after redaction, with who and where.
 * The same on every path, so that one event seen three ways gets one id.
 */
export function spooled(event: Event, at: Circumstance): Unnamed {
  const branch = event.branch ?? at.checkout?.branch;
  const placed = branch === undefined ? event : { ...event, branch };
  const { event: clean, redaction, withheld } = redacted(placed, at.policy);
  const { content: text, tool: call } = event;
  const lengths = { content: text, input: call?.input, result: call?.result };
  const { native, ...rest } = mapTexts(clean, (one, field) =>
    kept(one, lengths[field]?.length ?? 0),
  );
  const bounded = boundFields(rest);
  const { tool, content, git_sha } = bounded;
  const envelope: SpooledEnvelope = {
    ...bounded,
    schema_version: 1,
    fleet_id: at.fleetId,
    agent_id: at.agents[at.runtime] ?? UNCONFIGURED,
    runtime: at.runtime,
    host_id: at.hostId,
    ...defined({
      repo: at.checkout?.repo,
      git_sha: git_sha ?? at.checkout?.sha,
      content_hash: content === undefined ? undefined : sha256Hex(content),
      injected_context: at.injected.length > 0 ? [...at.injected] : undefined,
    }),
    ...(tool?.input === undefined
      ? {}
      : { tool: { ...tool, input_hash: hashParts([tool.input]).slice(0, 32) } }),
    redaction,
    ...(at.origin === undefined ? {} : { [at.origin]: true as const }),
  };
  return {
    envelope,
    native: { ...native, key: nativeKey(event, rest) },
    ...(withheld.length > 0 ? { withheld: withheld.slice(0, WITHHELD_MAX) } : {}),
  };
}
