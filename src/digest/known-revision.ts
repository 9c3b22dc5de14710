import { recoverManifest } from '../lake/recover.ts';
import type { PartSource, SizedPart } from './merge-parts.ts';

/** The newest revision of a session that the ledger has; `parts` as the fold keeps them. */
export interface KnownRevision {
  readonly revision: number;
  readonly agent: string;
  readonly parts: string;
}

interface NamedPart {
  readonly key: string;
  readonly hash: string;
}

function partsOf(known: KnownRevision | undefined): readonly NamedPart[] {
  return known ? (JSON.parse(known.parts) as NamedPart[]) : [];
}

const nameOf = ({ key, hash }: NamedPart) => `${key}\n${hash}`;

/** True where a revision names every one of the parts. */
export function namesAll(known: KnownRevision | undefined, parts: readonly NamedPart[]): boolean {
  const named = new Set(partsOf(known).map(nameOf));
  return parts.every((part) => named.has(nameOf(part)));
}

/**
 * The parts that a revision names beside these, with their sizes: what other hosts captured or imported of the session,
 * which the next revision must not lose. Throws what {@link recoverManifest} does.
 */
export async function partsOfOthers(
  own: readonly NamedPart[],
  known: KnownRevision | undefined,
  from: PartSource,
): Promise<readonly SizedPart[]> {
  const names = new Set(own.map(nameOf));
  const parts = partsOf(known).filter((part) => !names.has(nameOf(part)));
  if (parts.length === 0) return [];
  const manifest = await recoverManifest({ revision: known?.revision ?? 0, parts }, from);
  return manifest?.parts ?? [];
}
