const MASK = (1n << 64n) - 1n;
const GAMMA = 0x9e3779b97f4a7c15n;

/** Generator of the JDK's `SplittableRandom`: the same seed gives the same numbers. */
export class SplittableRandom {
  private seed: bigint;

  constructor(seed: number) {
    this.seed = BigInt(seed);
  }

  /** Returns a number from 0, below 1. */
  nextDouble(): number {
    this.seed = (this.seed + GAMMA) & MASK;
    let z = this.seed;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    z ^= z >> 31n;
    return Number(z >> 11n) * 2 ** -53;
  }
}

/** Makes a table of independent standard normal numbers (Box and Muller 1958). */
export function normals(rows: number, columns: number, seed: number): readonly Float64Array[] {
  const random = new SplittableRandom(seed);
  return Array.from({ length: rows }, () => {
    const row = new Float64Array(columns);
    for (let i = 0; i < columns; i++) {
      const radius = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
      row[i] = radius * Math.cos(2 * Math.PI * random.nextDouble());
    }
    return row;
  });
}

/** Rounds to the nearest whole number, halves to the even one. */
export function rint(value: number): number {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/** Returns the place of the smallest value. */
export function smallest(values: ArrayLike<number>): number {
  let found = 0;
  for (let i = 1; i < values.length; i++) {
    if (values[i] < values[found]) {
      found = i;
    }
  }
  return found;
}

/** Returns the scalar product. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}
