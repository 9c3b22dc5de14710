import { expect, test } from 'vitest';
import { spoolLine, spoolText } from '../../test/kit/lake.ts';
import { memorySpool } from '../../test/kit/memory-spool.ts';
import type { Spool } from '../lake/port.ts';
import { heldMessages, lastPlace } from './messages.ts';

/** A session of which a part was sent, another is on its way, and hooks go on to write. */
function spooled() {
  const spool = memorySpool();
  const write = (s: number, content: string, repo = 'r') => {
    const line = spoolLine(s, { content, repo }, { line_id: content });
    spool.append('claude-code', 's1', spoolText([line]));
  };
  const freeze = (n: number) => {
    const [session] = spool.sessions();
    const open = session?.files.find(({ state }) => state === 'open');
    if (!session || !open) throw new Error('nothing to freeze');
    return { session, file: spool.freeze(session, open, n) };
  };
  write(0, 'one');
  const { session, file } = freeze(9);
  spool.markSent(session, file);
  write(1, 'two');
  freeze(10);
  write(2, 'three');
  // A hook that found its file renamed away wrote the line again.
  write(1, 'two');
  write(3, 'four', 'elsewhere');
  return spool;
}

const said = (spool: Spool) => heldMessages(spool, 's1').map(({ content }) => content);

test('what is held is all of it, sent or not, in the order in which it came, each line once', () => {
  expect(said(spooled())).toEqual(['one', 'two', 'three', 'four']);
  expect(heldMessages(spooled(), 's2')).toEqual([]);
});

test('a session is where its last event was', () => {
  expect(lastPlace(spooled(), 's1')?.repo).toBe('elsewhere');
  expect(lastPlace(spooled(), 's2')).toBeUndefined();
});

test('a file that a sync renames meanwhile is looked for again', () => {
  const spool = spooled();
  let renames = 0;
  const moving: Spool = {
    ...spool,
    read(session, file) {
      if (file.state === 'draining' && renames++ === 0) spool.markSent(session, file);
      return spool.read(session, file);
    },
  };
  expect(said(moving)).toEqual(['one', 'two', 'three', 'four']);
  expect(renames).toBe(1);
});
