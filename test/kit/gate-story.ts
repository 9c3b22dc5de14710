import fc from 'fast-check';
import { toInstant } from '../../src/base/time.ts';
import type { MapState } from '../../src/fold/map-state.ts';
import type { Recorded } from '../../src/gate/replay.ts';
import { DecisionBody } from '../../src/record/decision.ts';
import { settlementBody, trustBody } from './belief.ts';
import { entriesOf, fleetState, foldOnto, householdOf, T0 } from './fleet.ts';
import { citedFrom, GateScene } from './gate.ts';

/* What a fleet does, in any order, with runs of the gate in between. */

const homes = [householdOf('ann'), householdOf('bob'), householdOf('cyd')] as const;
const [ann, , cyd] = homes;
const TYPES = ['environment', 'convention', 'preference', 'hypothesis', 'outcome'] as const;
const SESSIONS = homes.flatMap((home, h) => [0, 1, 2].map((n) => ({ home, name: `s${h}${n}` })));
const DAY = 86_400_000;

/** What a fleet can do. */
export type Command =
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
/** Anything that a fleet can do. */
export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constant('claim' as const), session, type: fc.nat(4), text: fc.nat(7) }),
  fc.record({ do: fc.constant('position' as const), session, claim, against: fc.boolean() }),
  fc.record({ do: fc.constant('judge' as const), claim, other: claim, answer: fc.nat(2) }),
  fc.record({ do: fc.constant('quarantine' as const), home: fc.nat(2), isHeld: fc.boolean() }),
  fc.record({ do: fc.constant('settle' as const), claim, other: claim, ruling: fc.nat(2) }),
  fc.record({ do: fc.constant('gate' as const), days: fc.nat(40) }),
);
/** Which claims each session had met before it said anything: by the number of the claim, where that came to be. */
export const anyMet = fc.array(fc.array(fc.nat(3), { maxLength: 2 }), {
  minLength: SESSIONS.length,
  maxLength: SESSIONS.length,
});

/** A run of the gate, from which position and when, and what it decided. */
interface Run {
  readonly basis: number;
  readonly now: number;
  readonly decisions: readonly Recorded[];
}

/** A scene in which commands are carried out as far as they make sense. */
export class GateStory {
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
    this.runs.push({ basis, now: this.#now, decisions });
  }

  stateAt(position: number): MapState {
    return foldOnto(fleetState(), entriesOf(this.scene.records.slice(0, position)));
  }
}

/** Tells a story, with a run of the gate at its end. */
export function tell(
  commands: readonly Command[],
  exposed: readonly (readonly number[])[],
): GateStory {
  const told = new GateStory();
  for (const one of commands) told.do(one, exposed);
  told.gate(0);
  return told;
}
