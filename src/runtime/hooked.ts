import type { Instant } from '../base/time.ts';
import type { Answer } from './answer.ts';
import { formatAnswer } from './claude-code/answer.ts';
import { readHook } from './claude-code/hook.ts';
import type { HookReading } from './hook.ts';

/** What the hook needs of a runtime. */
export interface HookedRuntime {
  readHook(eventName: string, payload: unknown, now: Instant): HookReading;
  formatAnswer(eventName: string, answer: Answer): string;
}

/** The runtimes whose hooks are understood, by the name that the installed command carries. */
export const HOOKED: Readonly<Record<string, HookedRuntime>> = {
  'claude-code': { readHook, formatAnswer },
};
