import { execFile } from 'node:child_process';
import { codeOf } from '../base/errors.ts';
import type { GitChanges } from '../runtime/git-changes.ts';

const TIME_MS_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;
const COMMITS_MAX = 500;
const MARK = '\u0002';

/** Settings of a repository that would start a program, or reach its remotes. */
const NEUTRAL = [
  'core.fsmonitor=',
  'core.hooksPath=/dev/null',
  'core.alternateRefsCommand=',
  'diff.external=',
  'protocol.allow=never',
].flatMap((setting) => ['-c', setting]);

const LOG = [
  'log',
  '-z',
  '--name-only',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-show-signature',
  '--no-color',
  `--format=${MARK}%ct`,
  `--max-count=${COMMITS_MAX + 1}`,
];

/** Nothing of the caller's own git reaches it, and it asks nobody anything. */
function quietEnv(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(own),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
}

function changesIn(text: string): Extract<GitChanges, { readonly kind: 'read' }> {
  const changes: { path: string; at: number }[] = [];
  let [commits, at] = [0, 0];
  for (const token of text.split('\0')) {
    const [head = '', ...rest] = token.startsWith(MARK) ? token.slice(1).split('\n') : [];
    if (/^\d{1,12}$/.test(head)) {
      commits += 1;
      at = Number(head) * 1_000;
    }
    const path = token.startsWith(MARK) ? rest.join('\n') : token.replace(/^\n/, '');
    if (path !== '' && commits <= COMMITS_MAX) changes.push({ path, at });
  }
  return { kind: 'read', changes, isCut: commits > COMMITS_MAX };
}

/**
 * The paths that commits changed which one head has and an earlier one had not, by git's own log: at most 500 commits, the newest
 * first. Where git is not there, says so. The repository's own settings start nothing. Never rejects.
 */
export function gitChanges(root: string, since: string, head: string): Promise<GitChanges> {
  const args = [...NEUTRAL, '--no-pager', '-C', root, ...LOG, `${since}..${head}`, '--'];
  const how = {
    env: quietEnv(),
    timeout: TIME_MS_MAX,
    maxBuffer: BYTES_MAX,
    encoding: 'utf8',
  } as const;
  return new Promise((resolve) => {
    execFile('git', args, how, (error, stdout) => {
      if (!error) resolve(changesIn(stdout));
      else resolve({ kind: codeOf(error) === 'ENOENT' ? 'absent' : 'failed' });
    });
  });
}
