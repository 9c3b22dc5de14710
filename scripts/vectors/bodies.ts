import { join } from 'node:path';
import { recordId } from '../../src/record/record.ts';
import { examplesOf, readPages } from '../schema/page.ts';

type Body = { readonly spec: string; readonly author: string };
type Fields = Readonly<Record<string, unknown>>;

/** Every example of a body on the pages of docs/formats, with its context. */
function examples(): { context: string; body: Body }[] {
  const pages = readPages(join(process.cwd(), 'docs', 'formats'));
  return examplesOf(pages).flatMap(({ schema, text }) => {
    const [, context] = /^record-(?:own-)?(.+)$/.exec(schema) ?? [];
    return context === undefined ? [] : [{ context, body: JSON.parse(text) as Body }];
  });
}

const without = (body: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(body).filter(([own]) => own !== name));

/** What is refused in any body, and the code. */
function spoilt(body: Fields): (readonly [name: string, body: Fields, code: string])[] {
  const own = Object.keys(body).filter((name) => !['spec', 'author'].includes(name));
  const [first = 'author'] = own.filter((name) => body[name] !== undefined).sort();
  return [
    ['a member that its type has not', { ...body, more: 1 }, 'record.body'],
    ['no author', without(body, 'author'), 'record.body'],
    ['a member of another kind', { ...body, [first]: { more: [] } }, 'record.body'],
    ['another specification', { ...body, spec: 'credence/v2' }, 'record.spec'],
    ['no specification', without(body, 'spec'), 'record.spec'],
  ];
}

/** vectors/body.json */
export function bodyVectors() {
  const all = examples();
  return {
    accept: all.map(({ context, body }) => ({ context, body, id: recordId(context, body) })),
    reject: all.flatMap(({ context, body }) =>
      spoilt(body).map(([name, changed, code]) => ({
        name: `${context}: ${name}`,
        context,
        // A type is known by its specification, too.
        spec: body.spec,
        body: changed,
        code,
      })),
    ),
  };
}
