import { hashParts, sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { shortId } from '../base/short-id.ts';
import { cleanText, truncateUtf8 } from '../base/text.ts';
import { defined } from '../base/unknown.ts';
import type { Event, Injected } from '../runtime/envelope.ts';
import type { Checkout } from '../runtime/repo.ts';
import { redactEvent } from './redact.ts';
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

/** Room that is kept until after redaction, so that no cut goes through a secret and leaves its first half. */
const MARGIN = 64 * 1024;

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
function boundFields(event: Event): Event {
  const { native, tool, usage } = event;
  return {
    ...event,
    native: { ...native, key: shortId(native.key, ID_LENGTH_MAX) },
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

function mapTexts(event: Event, change: (text: string) => string): Event {
  const { tool, content } = event;
  return {
    ...event,
    ...(content === undefined ? {} : { content: change(content) }),
    ...(tool === undefined
      ? {}
      : {
          tool: {
            ...tool,
            ...(tool.input === undefined ? {} : { input: change(tool.input) }),
            ...(tool.result === undefined ? {} : { result: change(tool.result) }),
          },
        }),
  };
}

/** The prompt's own text as both the hook and the transcript have it: white space is not a difference. */
export function promptKey(content: string): string {
  return `prompt:${sha256Hex(content.normalize('NFC').replace(/\s+/g, ' ').trim()).slice(0, 32)}`;
}

/**
 * An event → the envelope that may be written: bounded, redacted, hashed after redaction, with who and where.
 * The same on every path, so that one event seen three ways gets one id.
 */
export function spooled(event: Event, at: Circumstance): Unnamed {
  const max = LIMIT.envelope_text_bytes_max;
  const cut = (text: string) => truncateUtf8(cleanText(text), max + MARGIN);
  const bounded = mapTexts(boundFields(event), cut);
  const { event: clean, redaction, withheld } = redactEvent(bounded, at.policy);
  const { native, ...rest } = mapTexts(clean, (text) => truncateUtf8(text, max));
  const { tool, content, git_sha, branch } = rest;
  const envelope: SpooledEnvelope = {
    ...rest,
    schema_version: 1,
    fleet_id: at.fleetId,
    agent_id: at.agents[at.runtime] ?? UNCONFIGURED,
    runtime: at.runtime,
    host_id: at.hostId,
    ...defined({
      repo: at.checkout?.repo,
      git_sha: git_sha ?? at.checkout?.sha,
      branch: branch ?? at.checkout?.branch,
      content_hash: content === undefined ? undefined : sha256Hex(content),
      injected_context: at.injected.length > 0 ? [...at.injected] : undefined,
    }),
    ...(tool?.input === undefined
      ? {}
      : { tool: { ...tool, input_hash: hashParts([tool.input]).slice(0, 32) } }),
    redaction,
    ...(at.origin === undefined ? {} : { [at.origin]: true as const }),
  };
  const key = native.key === 'prompt' ? promptKey(content ?? '') : native.key;
  return { envelope, native: { ...native, key }, ...(withheld.length > 0 ? { withheld } : {}) };
}
