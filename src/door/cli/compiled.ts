import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/** Where the build keeps what V8 compiled of a bundle: for this version of Node on this kind of machine alone. */
export function compiledPath(bundle: string): string {
  const { version, platform, arch } = process;
  return `${bundle}.${version}-${platform}-${arch}`;
}

/** Undefined where there is none that fits. V8 knows a source by its length only: of one that was edited, nothing does. */
function readCompiled(bundle: string): Buffer | undefined {
  const path = compiledPath(bundle);
  try {
    return statSync(path).mtimeMs < statSync(bundle).mtimeMs ? undefined : readFileSync(path);
  } catch {
    return undefined;
  }
}

/** A bundle of the older module format that was run, with the script that it was run from. */
export interface Loaded<Exports> {
  readonly script: Script;
  readonly exports: Exports;
}

/** Runs a bundle, which is ASCII, from what was compiled of it before; without that, or where V8 refuses it, from the source. */
export function loadCompiled<Exports>(bundle: string): Loaded<Exports> {
  const url = pathToFileURL(bundle).href;
  const cachedData = readCompiled(bundle);
  // On the bundle's first line, so that the lines of errors are its own.
  const source = `(function (module, require, bundleUrl) {${readFileSync(bundle, 'latin1')}\n})`;
  const script = new Script(source, { filename: bundle, ...(cachedData && { cachedData }) });
  const module = {} as { exports: Exports };
  script.runInThisContext()(module, createRequire(url), url);
  return { script, exports: module.exports };
}
