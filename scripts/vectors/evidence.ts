import { type Citation, episodeIdOf, excerptHash } from '../../src/record/evidence.ts';

const EXCERPTS: readonly (readonly [name: string, excerpt: string])[] = [
  ['plain words', 'exit 0'],
  ['white space of any kind', '  exit\t\n\u00a00 '],
  ['not in its normal form', 'cafe\u0301'],
  ['in its normal form', 'caf\u00e9'],
  ['astral letters', '\u{1f98a} \u{20000}'],
];

const BASE: Citation = {
  session_id: '1c38adc0-5f0e-4a8f-9b1d-0a7a1f3c2e11',
  message_id: 'toolu_01',
  excerpt_hash: excerptHash('exit 0'),
  observed_at: '2026-03-02T09:00:09.000Z',
};

const CITATIONS: readonly (readonly [name: string, citation: Citation])[] = [
  ['a message', BASE],
  ['some bytes of it', { ...BASE, range: { start: 3, end: 9 } }],
  ['another session', { ...BASE, session_id: 's' }],
];

/** vectors/evidence.json */
export function evidenceVectors() {
  return {
    excerpts: EXCERPTS.map(([name, excerpt]) => ({ name, excerpt, hash: excerptHash(excerpt) })),
    citations: CITATIONS.map(([name, citation]) => ({
      name,
      citation,
      episode_id: episodeIdOf(citation),
    })),
  };
}
