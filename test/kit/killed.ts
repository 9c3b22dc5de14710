/** Thrown where a process is to die: nothing of ours catches it by its kind. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** Counts calls over several objects, and dies at one of them: before it happens, or just after. The dead call nothing more. */
export class Mortality {
  count = 0;
  #isDead = false;
  readonly #at: number;
  readonly #when: 'before' | 'after';

  constructor(at: number, when: 'before' | 'after') {
    this.#at = at;
    this.#when = when;
  }

  /** The object, whose every method counts from now on, or only ends with the rest. */
  watch<T extends object>(inner: T, counted = true): T {
    return new Proxy(inner, {
      get: (target, name, receiver) => {
        const member: unknown = Reflect.get(target, name, receiver);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) =>
          this.#call(() => Reflect.apply(member, target, args), counted);
      },
    });
  }

  #call(body: () => unknown, counted: boolean): unknown {
    if (this.#isDead) throw new Killed();
    if (!counted) return body();
    this.count += 1;
    this.#isDead = this.count === this.#at;
    if (this.#isDead && this.#when === 'before') throw new Killed();
    const result = body();
    if (this.#isDead) throw new Killed();
    return result;
  }
}
