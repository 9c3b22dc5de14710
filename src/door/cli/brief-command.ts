import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { type ClaimLines, openClaims } from '../../brief/claim-lines.ts';
import { briefFile } from '../../brief/publish.ts';
import { fence } from '../../capture/fence.ts';
import { UNCONFIGURED } from '../../capture/settings.ts';
import { agentsRead } from '../../home/home.ts';
import { listRepos } from '../../query/session.ts';
import type { Sql } from '../../snapshot/port.ts';
import { remoteOrId } from './arguments.ts';
import type { Context } from './context.ts';
import { shownContext } from './shown-context.ts';

/** Whom a briefing is for, and what they are about to do if that is known. */
interface Asked {
  readonly repo: string;
  readonly agent: string;
  readonly task?: string | undefined;
}

/** The claims that a briefing has: none where the settings say that agents read none, whatever was built for them. */
function claimsFor(
  context: Context,
  sql: Sql,
  { repo, agent, task }: Asked,
): ClaimLines | undefined {
  const open = agentsRead(context.home()) ? openClaims(sql, context.home().world.now()) : undefined;
  return task === undefined
    ? open?.linesFor({ agent, repo })
    : open?.forTask({ agent, repo }, task);
}

/**
 * The briefing that the next session of an agent in a repo would get; undefined where there is nothing to say. To be
 * printed: where an agent asks for it inside its session, what it shows is recorded there.
 */
export function nextBriefing(context: Context, asked: Asked): string | undefined {
  const now = context.home().world.now();
  const fenced = context.read('agent', (sql) => {
    const claims = claimsFor(context, sql, asked);
    const file = briefFile(sql, { repo: asked.repo, live: context.liveAgents(), now, claims });
    return fence(file.lines, now);
  });
  context.local.recordShown('credence brief', fenced?.items ?? []);
  return fenced?.text;
}

/** The repo of this folder, if anything is known of it, else the one with the newest session. */
export function repoToShow(context: Context): string | undefined {
  const repos = context.read('state', listRepos).map((row) => row.repo);
  const here = context.local.repoOf(process.cwd());
  return repos.find((repo) => repo === here) ?? repos[0];
}

/** The agent of this home that a briefing is for unless another is named. */
export function ownAgent(context: Context): string {
  return context.home().settings.agents['claude-code'] ?? UNCONFIGURED;
}

interface BriefOptions {
  readonly task?: string;
  readonly repo?: string;
  readonly agent?: string;
}

function briefAction(own: Context, options: BriefOptions): void {
  const context = shownContext(own);
  const folder = process.cwd();
  // Nobody is in a folder of the made-up fleet.
  const here = context === own ? own.local.repoOf(folder) : repoToShow(context);
  const repo = options.repo ?? here;
  if (repo === undefined) {
    throw new CredenceError('usage', 'brief.no_repo', `${folder} is not there any more`, {
      next: 'name a repo: --repo <id>; `credence repos` lists them',
    });
  }
  const agent = options.agent ?? ownAgent(context);
  if (options.task !== undefined && !agentsRead(context.home()))
    context.out.note(
      '--task chooses claims, and agents read none here: summarize.mode is not live',
    );
  const text = nextBriefing(context, { repo, agent, task: options.task });
  context.out.value({ repo, agent, text: text ?? null, bytes: Buffer.byteLength(text ?? '') });
  const place = options.repo ?? `${folder} (${repo})`;
  context.out.text(
    text ??
      `nothing is recorded about ${place} yet; \`credence repos\` lists what there is, --repo <id> names one`,
  );
}

/** `credence brief`. */
export function briefCommand(program: Command, context: Context): void {
  program
    .command('brief')
    .description('the briefing that the next session in this folder would get')
    .option('--repo <id>', 'of another repo', remoteOrId)
    .option('--agent <id>', 'as another agent would get it')
    .option('--task <text>', 'with the claims that fit a task best, where agents read claims')
    .addHelpText(
      'after',
      '\nExample:\n  credence brief --repo github.com/owner/name --task "fix the flaky upload test"',
    )
    .action((options: BriefOptions) => briefAction(context, options));
}
