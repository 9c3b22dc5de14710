import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { diffLines } from '../base/diff.ts';
import { toInstant } from '../base/time.ts';
import type { Local } from '../door/cli/context.ts';
import type { Home } from '../home/home.ts';
import { claudeFile, claudeFolder } from '../io/history.ts';
import { editSettings } from '../io/runtime-settings.ts';
import { readIfThere } from '../io/small-file.ts';
import {
  installedServer,
  installServer,
  type ServerCommand,
  uninstallServer,
} from '../runtime/claude-code/server-entry.ts';
import {
  hookFault,
  installedEvents,
  installHooks,
  sharedEvents,
  uninstallHooks,
} from '../runtime/claude-code/settings.ts';

/** The files of a runtime in which our hooks and our server are registered. */
export function runtimeFiles(
  home: Home,
  env: Readonly<Record<string, string | undefined>>,
): Pick<Local, 'editSettings' | 'installed' | 'editServers'> {
  const settingsPath = join(claudeFolder(env), 'settings.json');
  const serversPath = claudeFile(env);
  const [node = 'node', ...main] = home.main;
  const hookCommand = (event: string) => `"${node}" "${home.hookFile}" hook ${event} claude-code`;
  const serverCommand: ServerCommand = [node, ...main, 'mcp'];
  const edited = (
    file: string,
    dryRun: boolean,
    change: (text: string | undefined) => string | undefined,
    sharedIn: (text: string) => readonly string[],
  ) => {
    const stamp = toInstant(home.world.now()).replaceAll(/[-:.]/g, '');
    const { path, changed, before, after, backup } = editSettings(file, change, { dryRun, stamp });
    const diff = diffLines(before ?? '', after ?? '');
    return { path, changed, backup, diff, shared: sharedIn(after ?? '') };
  };
  return {
    editSettings(_runtime, edit, dryRun) {
      const change = (text: string | undefined) =>
        edit === 'install' ? installHooks(text, hookCommand) : text && uninstallHooks(text);
      return edited(settingsPath, dryRun, change, sharedEvents);
    },
    editServers(_runtime, edit, dryRun) {
      const change = (text: string | undefined) =>
        edit === 'install' ? installServer(text, serverCommand) : text && uninstallServer(text);
      const others = (text: string) => (installedServer(text) === 'other' ? ['credence'] : []);
      return edited(serversPath, dryRun, change, others);
    },
    installed() {
      const text = readIfThere(settingsPath) ?? '';
      const fault = hookFault(text, existsSync) ?? null;
      return { path: settingsPath, events: installedEvents(text), fault };
    },
  };
}
