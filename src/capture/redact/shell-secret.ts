import { callOf, nestedCommands } from './shell-call.ts';
import { NESTING_MAX } from './shell-command.ts';
import { eachCommand } from './shell-read.ts';

/** Programs, and the arguments with which they print a secret by purpose. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  kubectl:
    /^(?=.*\b(?:get|create)\b)(?=.*\bsecrets?\b).*\s(?:--template|(?:-o|--output)[ =]?(?!name\b|wide\b)[a-z])/s,
  vault: /^(?:kv\s+get|read)\b/,
  op: /^(?:read|item\s+get)\b/,
  security: /^find-\w+-password\b.*\s-[a-z]*[wg]/s,
  pass: /^show\b/,
  'secret-tool': /^lookup\b/,
  gcloud: /^(?:auth\s.*print-\w+-token|secrets\s+versions\s+access)/s,
  aws: /^(?:secretsmanager\s+get-secret-value|ssm\s+get-parameters?\b.*--with-decryption|ecr\s+get-login-password|configure\s+export-credentials|sts\s+(?:assume-role|get-session-token))/s,
  az: /^(?:account\s+get-access-token|keyvault\s+secret\s+show)/,
  heroku: /^config:get/,
  doppler: /^secrets\s+(?:get|download)/,
  bw: /^get\s+(?:password|item|totp)/,
  gh: /^auth\s+token/,
};
const ARGUMENTS_MAX = 2000;

/**
 * True for commands whose output is a secret by purpose, with nothing in it that a rule could see:
 * `gh auth token`, `vault kv get`, `kubectl get secret -o yaml`.
 */
export function commandPrintsSecret(command: string): boolean {
  return printsSecret(command, 0);
}

function printsSecret(command: string, depth: number): boolean {
  return eachCommand(command, (simple) => {
    const call = callOf(simple);
    const { program, words } = call;
    const nested = depth < NESTING_MAX ? nestedCommands(call) : [];
    if (nested.some((text) => printsSecret(text, depth + 1))) return true;
    if (!Object.hasOwn(PRINTS, program)) return false;
    const line = words.map(({ text }) => text).join(' ');
    return PRINTS[program]?.test(line.slice(0, ARGUMENTS_MAX)) ?? false;
  });
}
