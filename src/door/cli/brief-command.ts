import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { briefFile } from '../../brief/publish.ts';
import { fence } from '../../capture/fence.ts';
import { UNCONFIGURED } from '../../capture/settings.ts';
import { listRepos } from '../../query/session.ts';
import { remoteOrId } from './arguments.ts';
import type { Context } from './context.ts';
import { shownContext } from './shown-context.ts';

/**
 * The briefing that the next session of a repo would get; undefined where there is nothing to say. To be printed: where
 * an agent asks for it inside its session, what it shows is recorded there.
 */
export function nextBriefing(context: Context, repo: string): string | undefined {
  const now = context.home().world.now();
  const fenced = context.read('agent', (sql) => {
    const file = briefFile(sql, { repo, live: context.liveAgents(), now });
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

interface BriefOptions {
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
  const agent = options.agent ?? context.home().settings.agents['claude-code'] ?? UNCONFIGURED;
  const text = nextBriefing(context, repo);
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
    .addHelpText('after', '\nExample:\n  credence brief --repo github.com/owner/name')
    .action((options: BriefOptions) => briefAction(context, options));
}
