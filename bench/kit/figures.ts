import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { loadavg } from 'node:os';

/** `1.23 × the bare primitive`. */
export function ratio(ours: number, bare: number): string {
  return `${(ours / bare).toFixed(2)} × the bare primitive`;
}

/** A figure of a bench, beside what is aimed at and what the bare primitive did in the same run. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** In words, such as `at least 50,000`. */
  readonly target?: string;
  readonly bare?: { readonly what: string; readonly value: number };
}

const shown = (value: number) =>
  value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 3 : value < 100 ? 1 : 0 });

/** Prints figures, one a line, and how busy the machine was. */
export function print(figures: readonly Figure[]): void {
  for (const { what, value, unit, target, bare } of figures) {
    const beside = bare
      ? `; ${bare.what} ${shown(bare.value)}, ratio ${(value / bare.value).toFixed(2)}`
      : '';
    const aim = target === undefined ? '' : ` (target: ${target})`;
    console.log(`${what}: ${shown(value)} ${unit}${aim}${beside}`);
  }
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`);
}

/** Seconds of a core that something on one thread takes: what else the machine is busy with counts less than by the clock. */
export async function coreSecondsOf(body: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await body();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000_000;
}

/** Seconds that something takes. */
export async function secondsOf(body: () => unknown): Promise<number> {
  const start = performance.now();
  await body();
  return (performance.now() - start) / 1_000;
}

/** Checks a second that `crypto.verify` alone makes on this machine now, over messages of 3 kB with a cached key. */
export function signatureRate(): number {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const message = createHash('sha256').update('x').digest();
  const long = Buffer.concat(Array.from({ length: 94 }, () => message));
  const signature = sign(null, long, privateKey);
  const rounds = 3_000;
  const start = performance.now();
  for (let i = 0; i < rounds; i++) verify(null, long, publicKey, signature);
  return rounds / ((performance.now() - start) / 1_000);
}
