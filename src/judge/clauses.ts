import { type Frame, frameOf, type Unit } from './frame.ts';
import { isContent, says, verbAt } from './grammar.ts';
import { readClaim } from './rewrite.ts';
import type { Token } from './token.ts';

const OWN_SUBJECT_MAX = 5;
const CONJUNCTION = /^(?:and|but|while|whereas|so)$/;
const AUXILIARY = /^(?:is|are|was|were|has|have)$/;

const hasAuxiliary = (tokens: readonly Token[], from: number) =>
  tokens.slice(from + 2, from + OWN_SUBJECT_MAX).some((token) => says(token, AUXILIARY));

/** True where a conjunction starts a clause with a subject and a verb of its own: `…, and y is not installed`. */
function startsClause(tokens: readonly Token[], at: number): boolean {
  const comma = tokens[at]?.text === ',';
  const from = comma ? at + 1 : at;
  if (!says(tokens[from], CONJUNCTION)) return false;
  // Without a comma, two subjects of one verb look alike: there it takes a verb on both sides.
  if (!comma && (verbAt(tokens.slice(0, at), 0) < 0 || !hasAuxiliary(tokens, from))) return false;
  const verb = verbAt(tokens, from + 1);
  return verb > from + 1 && verb - from < OWN_SUBJECT_MAX && isContent(tokens[verb - 1]);
}

/** A colon with a statement on both sides; before a value or a list it ends nothing. */
function isBetweenClauses(tokens: readonly Token[], at: number): boolean {
  const states = (part: readonly Token[]) => part.some((token) => says(token, AUXILIARY));
  return tokens[at]?.text === ':' && states(tokens.slice(0, at)) && states(tokens.slice(at + 2));
}

/** The clauses of a claim as frames, in their order. */
export function framesOf(claim: string): Frame[] {
  const clauses: Token[][] = [[]];
  const tokens = readClaim(claim);
  tokens.forEach((token, at) => {
    const ends =
      token.kind === 'stop' && (/^[;.!?]$/.test(token.text) || isBetweenClauses(tokens, at));
    if ((ends && at < tokens.length - 1) || startsClause(tokens, at)) clauses.push([]);
    else if (!ends) clauses.at(-1)?.push(token);
  });
  return clauses.filter((clause) => clause.length > 0).map((clause) => withGone(frameOf(clause)));
}

/** Verbs of what came to its end. */
const ENDED =
  /^(?:retired|abolished|discontinued|cancelled|canceled|scrapped|abandoned|dropped|removed|deleted|decommissioned|ditched|sunset|axed|deprecated|killed|withdrawn|dismantled|uninstalled)$/;

const isHeavy = ({ weight }: Unit) => weight > 0.5;

/** What a clause says is over: the subject of `x was retired`, the object of `we retired x`. */
function endedIn({ units, negations, marks }: Frame): Unit[] {
  if (marks.has('@change'))
    return units.filter((unit) => isHeavy(unit) && unit.region === 'denied');
  const verb = units.find(({ text, region }) => region === 'predicate' && ENDED.test(text));
  if (verb === undefined || negations.length > 0) return [];
  const subjects = units.filter((unit) => unit.region === 'subject' && isHeavy(unit));
  if (subjects.length > 0) return subjects;
  return units.filter((unit) => isHeavy(unit) && unit !== verb && unit.region !== 'circumstance');
}

/** What a clause says is not there: the subject of `y is not installed`, the noun of `there is no y`. */
function absentIn(frame: Frame): Unit[] {
  const { units, negations } = frame;
  if (negations.length !== 1) return endedIn(frame);
  const [negation] = negations;
  const named = units.filter((unit) => isHeavy(unit) && negation?.scope.includes(unit.key));
  const subjects = units.filter((unit) => isHeavy(unit) && unit.region === 'subject');
  return negation?.noun ? named : subjects;
}

const ROUTINE = /^(?:dropped|removed|deleted|killed|cancelled|canceled)$/;

/** A frame that says of one thing that it is over, and no more. */
function withGone(frame: Frame): Frame {
  // What a job removes each night is there by day.
  const gone = frame.units.some(({ text }) => ROUTINE.test(text)) ? [] : endedIn(frame);
  const rest = frame.units.filter(
    (unit) =>
      isHeavy(unit) &&
      !ENDED.test(unit.text) &&
      unit.region !== 'circumstance' &&
      !gone.includes(unit),
  );
  return rest.length > 0 || frame.side !== undefined ? frame : { ...frame, gone };
}

/** A frame that also sets aside what the other clauses of its claim say is not there. */
export function withAbsent(frame: Frame, others: readonly Frame[]): Frame {
  const said = new Set(frame.units.map(({ key }) => key));
  const absent = others.filter((other) => other !== frame).flatMap(absentIn);
  const more = absent.filter(({ key }) => !said.has(key));
  return {
    ...frame,
    units: [...frame.units, ...more.map((unit) => ({ ...unit, region: 'denied' as const }))],
  };
}
