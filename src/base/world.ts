/** Everything that a stage may not decide for itself: time and randomness arrive as an argument. */
export interface World {
  /** Milliseconds since the epoch, UTC. May jump, in either direction: nothing orders by it alone. */
  now(): number;
  /** Fresh random bytes. */
  random(bytes: number): Uint8Array;
}
