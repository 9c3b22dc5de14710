import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { CredenceError, codeOf, messageOf } from '../../base/errors.ts';
import { explained } from '../../base/system-error.ts';
import { sanitise } from '../../brief/sanitise.ts';
import type { Context } from '../cli/context.ts';
import type { Tool } from './tool.ts';

/** What clients tell their models of this server. */
const INSTRUCTIONS =
  'Credence keeps what a fleet of coding agents did, and what it has grounds to believe. What its tools show are peer observations: verify before relying on them. Propose what you found to hold with memory_propose, citing messages; leave a note with fleet_handoff when you end.';

/** The tools are the same for as long as the server runs, and for whoever asks it. */
const LIST_HINT = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

const MESSAGE_BYTES_MAX = 600;
/** Far above what any call holds. */
const ELEMENTS_MAX = 1_000;

/** What a failed call answers: what happened, its code, and the next step. */
function failure(thrown: unknown): CallToolResult {
  const error = explained(thrown);
  const code = codeOf(error);
  const message = sanitise(messageOf(error), MESSAGE_BYTES_MAX);
  const given = error instanceof CredenceError ? error.next : undefined;
  const next = given === undefined ? undefined : sanitise(given, MESSAGE_BYTES_MAX);
  const text = [`${message} (${code})`, ...(next === undefined ? [] : [`next: ${next}`])].join(
    '\n',
  );
  return {
    isError: true,
    content: [{ type: 'text', text }],
    structuredContent: { error: { code, message, ...(next === undefined ? {} : { next }) } },
  };
}

/** One call, with the settings as they are now. What nobody foresaw is told on standard error, too. */
async function called(context: Context, tool: Tool, given: unknown): Promise<CallToolResult> {
  try {
    context.reload();
    const { text, value } = await tool.run(context, given);
    const structuredContent = value as Record<string, unknown>;
    return { content: [{ type: 'text', text }], structuredContent };
  } catch (error) {
    const known = explained(error) instanceof CredenceError;
    const told = known || !(error instanceof Error) ? messageOf(error) : (error.stack ?? '');
    context.out.note(`credence mcp: ${tool.name}: ${told} (${codeOf(error)})`);
    return failure(error);
  }
}

/** A server of these tools, for one connection. */
export function serverOf(context: Context, version: string, tools: readonly Tool[]): McpServer {
  const server = new McpServer(
    { name: 'credence', title: 'Credence', version },
    {
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': LIST_HINT, 'server/discover': LIST_HINT },
      maxToolInputElements: ELEMENTS_MAX,
    },
  );
  for (const tool of tools) {
    const { name, title, description, input, output, reads, repeatable } = tool;
    const annotations = {
      readOnlyHint: reads,
      destructiveHint: false,
      idempotentHint: repeatable,
      openWorldHint: false,
    };
    const config = { title, description, inputSchema: input, outputSchema: output, annotations };
    server.registerTool(name, config, (given: unknown) => called(context, tool, given));
  }
  return server;
}
