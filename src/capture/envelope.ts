import { hashParts, sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
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
  const bounded = mapTexts(event, (text) => truncateUtf8(cleanText(text), max + MARGIN));
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
