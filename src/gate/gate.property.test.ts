import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settlementBody, trustBody } from '../../test/kit/belief.ts';
import { entriesOf, fleetState, foldOnto, householdOf, T0 } from '../../test/kit/fleet.ts';
import { citedFrom, GateScene } from '../../test/kit/gate.ts';
import { toInstant } from '../base/time.ts';
import type { ClaimRow } from '../fold/knowledge-rows.ts';
import type { MapState } from '../fold/map-state.ts';
import { DecisionBody } from '../record/decision.ts';
import { type Recorded, tellAgain } from './replay.ts';

/*
 * Whatever a fleet does, in whatever order: what holds of every decision, told by what the state shows and not by the gate's own code.
 */

const homes = [householdOf('ann'), householdOf('bob'), householdOf('cyd')] as const;
const [ann, , cyd] = homes;
const TYPES = ['environment', 'convention', 'preference', 'hypothesis', 'outcome'] as const;
const SESSIONS = homes.flatMap((home, h) => [0, 1, 2].map((n) => ({ home, name: `s${h}${n}` })));
const DAY = 86_400_000;

type Command =
  | { readonly do: 'claim'; readonly session: number; readonly type: number; readonly text: number }
  | {
      readonly do: 'position';
      readonly session: number;
      readonly claim: number;
      readonly against: boolean;
    }
  | {
      readonly do: 'judge';
      readonly claim: number;
      readonly other: number;
      readonly answer: number;
    }
  | { readonly do: 'quarantine'; readonly home: number; readonly isHeld: boolean }
  | {
      readonly do: 'settle';
      readonly claim: number;
      readonly other: number;
      readonly ruling: number;
    }
  | { readonly do: 'gate'; readonly days: number };

const session = fc.nat(SESSIONS.length - 1);
const claim = fc.nat(5);
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constant('claim' as const), session, type: fc.nat(4), text: fc.nat(7) }),
  fc.record({ do: fc.constant('position' as const), session, claim, against: fc.boolean() }),
  fc.record({ do: fc.constant('judge' as const), claim, other: claim, answer: fc.nat(2) }),
  fc.record({ do: fc.constant('quarantine' as const), home: fc.nat(2), isHeld: fc.boolean() }),
  fc.record({ do: fc.constant('settle' as const), claim, other: claim, ruling: fc.nat(2) }),
  fc.record({ do: fc.constant('gate' as const), days: fc.nat(40) }),
);
/** Which claims each session had met before it said anything: by the number of the claim, where that came to be. */
const met = fc.array(fc.array(fc.nat(3), { maxLength: 2 }), {
  minLength: SESSIONS.length,
  maxLength: SESSIONS.length,
});

interface Run {
  readonly basis: number;
  readonly decisions: readonly Recorded[];
}

/** A scene in which commands are carried out as far as they make sense. */
class Told {
  readonly scene = new GateScene(cyd);
  readonly claims: string[] = [];
  readonly runs: Run[] = [];
  #now = T0;

  constructor() {
    for (const { home, name } of SESSIONS.slice(0, 3)) this.scene.session(home, name);
  }

  #sessionOf(n: number) {
    const chosen = SESSIONS[n] as (typeof SESSIONS)[number];
    return chosen;
  }

  /** Seals a session when it is first spoken of, with what it had met by then. */
  seal(n: number, exposed: readonly number[]) {
    const { home, name } = this.#sessionOf(n);
    if (this.scene.state.get('sessions', name)) return this.#sessionOf(n);
    const ids = exposed.flatMap((i) => this.claims[i] ?? []);
    const before = { channel: 'briefing', matched: 'lineage', kind: 'claim', position: 0 } as const;
    this.scene.session(
      home,
      name,
      [...new Set(ids)].map((id) => ({ ...before, id })),
    );
    return this.#sessionOf(n);
  }

  do(one: Command, exposed: readonly (readonly number[])[]): void {
    const { scene, claims } = this;
    const id = 'claim' in one ? claims[one.claim] : undefined;
    const other = 'other' in one ? claims[one.other] : undefined;
    if (one.do === 'gate') this.gate(one.days);
    if (one.do === 'quarantine') {
      const principal = homes[one.home]?.agents[0]?.id ?? '';
      const status = one.isHeld ? 'quarantined' : 'active';
      scene.say(
        'trust',
        trustBody(ann.person, principal, { status, reason: `the ${scene.records.length}th` }),
        ann.person,
      );
    }
    if (one.do === 'claim') {
      const { home, name } = this.seal(one.session, exposed[one.session] ?? []);
      const claim_type = TYPES[one.type] ?? 'environment';
      const statement = `It is ${one.text} in ${claims.length}.`;
      const made = scene.claim(home, statement, { session: name, claim_type });
      claims.push(made);
      scene.judged(made);
    }
    if (id === undefined) return;
    if (one.do === 'position') {
      const { home, name } = this.seal(one.session, exposed[one.session] ?? []);
      const verdict = one.against ? 'contradict' : 'corroborate';
      scene.position(home, id, name, {
        verdict,
        evidence: [citedFrom(name)],
        basis: `the ${scene.records.length}th`,
      });
    }
    if (other === undefined || other === id) return;
    if (one.do === 'judge')
      scene.judged(id, {
        [other]: (['same', 'contradicts', 'unrelated'] as const)[one.answer] ?? 'same',
      });
    if (one.do === 'settle') {
      const ruling = (['keep', 'reject', 'both_hold'] as const)[one.ruling] ?? 'keep';
      const by = homes.find(({ agents }) =>
        [id, other].every((key) => scene.state.get('claims', key)?.observed_by !== agents[0]?.id),
      );
      if (by)
        scene.say(
          'settlement',
          {
            ...settlementBody(by.person, [id, other]),
            ruling,
            reason: `the ${scene.records.length}th`,
          },
          by.person,
        );
    }
  }

  gate(days: number): void {
    this.#now += days * DAY;
    const basis = this.scene.records.length;
    this.scene.gate(toInstant(this.#now));
    const made = this.scene.records.slice(basis);
    const decisions = made.map(({ body }, i) => ({
      seq: basis + i + 1,
      body: DecisionBody.parse(body),
    }));
    this.runs.push({ basis, decisions });
  }

  stateAt(position: number): MapState {
    return foldOnto(fleetState(), entriesOf(this.scene.records.slice(0, position)));
  }
}

function tell(commands: readonly Command[], exposed: readonly (readonly number[])[]): Told {
  const told = new Told();
  for (const one of commands) told.do(one, exposed);
  told.gate(0);
  return told;
}

const isHeld = (state: MapState, name: string) =>
  (state.get('trust', name)?.quarantined ?? null) !== null;
const passed = ({ gates }: DecisionBody) => gates.every(({ outcome }) => outcome === 'passed');

/** Sessions that speak for a claim, or for one that was joined into it, of people who saw it themselves. */
function speaking(state: MapState, claim: ClaimRow): Set<string> {
  const ids = [claim.key, ...state.where('claims', 'joined_into', claim.key).map(({ key }) => key)];
  const cited = ids.flatMap((id) => state.where('citations', 'claim', id));
  return new Set(cited.map(({ session }) => session));
}

test('every decision keeps the laws, and comes out the same when it is told again', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), met, (commands, exposed) => {
      const told = tell(commands, exposed);
      for (const { basis, decisions } of told.runs) {
        const before = told.stateAt(basis);
        expect(tellAgain(before, decisions)).toEqual([]);
        for (const { seq, body } of decisions) {
          const claim = told.stateAt(seq).get('claims', body.claim_id) as ClaimRow;
          const has = body.gates.find(({ gate }) => gate === 'independence')?.has ?? 0;
          expect(has).toBeLessThanOrEqual(speaking(told.stateAt(seq), claim).size);
          if (body.kind !== 'promoted') continue;
          expect(passed(body)).toBe(true);
          expect(claim.claim_type).not.toBe('hypothesis');
          expect(isHeld(before, claim.observed_by)).toBe(false);
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('where nothing is new nothing is decided, and what is contested is so on both sides', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), met, (commands, exposed) => {
      const told = tell(commands, exposed);
      const { state } = told.scene;
      for (const claim of state.where('claims')) {
        if (isHeld(state, claim.observed_by)) expect(claim.status).not.toBe('accepted');
        if (claim.status !== 'contested') continue;
        for (const id of JSON.parse(claim.against) as string[]) {
          const other = state.get('claims', id);
          if (other?.status === 'contested') expect(JSON.parse(other.against)).toContain(claim.key);
        }
      }
      // What one run promotes another claim of the same run may still rest on: a second run settles that.
      told.gate(0);
      told.gate(0);
      expect(told.runs.at(-1)?.decisions).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('a decision that is not what its basis gives is found out', () => {
  const told = new Told();
  told.do({ do: 'claim', session: 0, type: 0, text: 1 }, []);
  told.do({ do: 'claim', session: 1, type: 1, text: 2 }, []);
  told.gate(0);
  const [{ basis, decisions } = { basis: 0, decisions: [] }] = told.runs;
  const [first, second] = decisions;
  if (!first || !second) throw new Error('two were decided');
  const forged = [first, { ...second, body: { ...second.body, kind: 'promoted', segment: null } }];
  expect(tellAgain(told.stateAt(basis), forged as Recorded[])).toMatchObject([
    { seq: second.seq, again: { kind: 'candidate' } },
  ]);
  const gates = second.body.gates.map((one) => ({ ...one, outcome: 'passed' as const }));
  const relabelled = [first, { ...second, body: { ...second.body, gates } }];
  expect(tellAgain(told.stateAt(basis), relabelled)).toHaveLength(1);
});
