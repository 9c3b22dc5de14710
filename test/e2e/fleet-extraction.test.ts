import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonIn } from '../../src/base/unknown.ts';
import { excerptText } from '../../src/extract/citation.ts';
import { sealedEventsOf } from '../../src/extract/sealed-events.ts';
import { sealedRevision } from '../../src/query/session.ts';
import { excerptHash } from '../../src/record/evidence.ts';
import { readerOf } from '../../src/snapshot/database.ts';
import { stillWorld, tempFolder } from '../kit/home.ts';
import { ModelHome, modelConfig } from '../kit/model-home.ts';
import { draftFor, ModelServer, readPrompt, saying } from '../kit/model-server.ts';
import { describeShared } from '../kit/shared.ts';

const NOW = Date.UTC(2026, 5, 1);

/** Every text in the lines of a machine's transcripts, read by code that shares nothing with the product. */
function textsOf(folder: string): string {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.jsonl'))
      for (const line of readFileSync(join(folder, path), 'utf8').split('\n')) {
        walk(jsonIn(line));
      }
  return texts.join('\n').replaceAll(/\s+/g, ' ');
}

describeShared('a real fleet, by each provider', (shared) => {
  const fleet = join(shared, 'fixtures/fleet');
  const machines = readdirSync(fleet).filter((name) => name.startsWith('dev'));
  const providers = ['anthropic', 'batch', 'openai-compatible', 'ollama'] as const;

  test.each(
    providers.map((provider, i) => [provider, machines[i % machines.length] ?? ''] as const),
  )(
    '%s, %s: what is claimed opens at words that stand in a transcript',
    { timeout: 120_000 },
    async (provider, machine) => {
      const server = await new ModelServer().open();
      const home = new ModelHome(
        tempFolder('fleet-extraction'),
        stillWorld(NOW),
        join(fleet, machine, '.claude'),
      );
      const name = provider === 'batch' ? 'anthropic' : provider;
      const batches = name === 'anthropic' ? { use_batch_api: provider === 'batch' } : {};
      home.configure(modelConfig(name, server.base, { ...batches, max_sessions_per_run: 500 }));
      await home.setUp();
      await home.import();
      const unknown = (prompt: string) => {
        const asked = readPrompt(prompt);
        const invented = { session_id: asked.session, message_id: 'invented', quote: 'words' };
        return saying(
          draftFor(asked),
          draftFor(asked, { statement: 'Invented.', evidence: [invented] }),
        );
      };
      server.say = unknown;
      server.endsAtOnce = true;
      const first = await home.maintain();
      const report = provider === 'batch' ? await home.maintain() : first;
      expect(report.troubles).toEqual([]);
      const { model } = report;
      expect(model).toMatchObject({ failed: 0, troubles: [], waiting: 0, capReached: false });
      expect(model?.claims).toBeGreaterThan(2);
      expect(model?.dropped).toEqual({ 'citation.message': model?.answered });
      expect(await citedWords(home, textsOf(join(fleet, machine)))).toBe(model?.claims);
    },
  );

  /** How many of the model's claims cite words that the oracle knows, by hashes that hold. */
  async function citedWords(home: ModelHome, texts: string): Promise<number> {
    return home.within(async (parts) => {
      const reader = readerOf(parts.state);
      const sealed = (session: string) => sealedRevision(parts.state, session);
      const eventsOf = sealedEventsOf(sealed, parts, (_, error) => {
        throw error;
      });
      let counted = 0;
      for (const { key, statement } of reader.where('claims')) {
        if (!statement.startsWith('Session ')) continue;
        const [cited] = reader.where('citations', 'claim', key);
        if (!cited) throw new Error(`${statement} cites nothing`);
        const [start = 0, end = 0] = (cited.range ?? '').match(/\d+/g)?.map(Number) ?? [];
        const events = (await eventsOf(cited.session))?.events ?? [];
        const message = events.filter(({ message_id }) => message_id === cited.message);
        const words = excerptText(message, { start, end });
        expect(excerptHash(words), statement).toBe(cited.excerpt_hash);
        const isThere = texts.includes(words.replaceAll(/\s+/g, ' ').trim());
        // What was withheld stands nowhere else, and a tool's input is quoted as JSON.
        if (isThere || words.includes('withheld') || words.startsWith('{')) counted += 1;
      }
      return counted;
    });
  }
});
