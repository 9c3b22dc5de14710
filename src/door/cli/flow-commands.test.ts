import { expect, test } from 'vitest';
import type { SyncReport } from '../../pipeline.ts';
import { syncLines } from './flow-commands.ts';

const report: SyncReport = {
  drained: 0,
  sealed: 0,
  handoffs: 0,
  proposed: [],
  position: 7,
  waiting: [],
  troubles: [],
};

test.each([
  [0, 'sealed 0 sessions, sent 0 handoffs; the ledger is at 7'],
  [1, 'sealed 1 session, sent 1 handoff; the ledger is at 7, 1 record waits: admission'],
  [2, 'sealed 2 sessions, sent 2 handoffs; the ledger is at 7, 2 records wait: admission'],
])('%i of a thing', (n, line) => {
  const waiting = Array.from({ length: n }, () => ({ id: 'x', for: 'admission' as const }));
  const counted = { ...report, sealed: n, handoffs: n, waiting };
  expect(syncLines(counted as unknown as SyncReport)).toEqual([line]);
});
