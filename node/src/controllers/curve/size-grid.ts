/**
 * Sizes of the model: each up to 32, then sixteen a doubling up to 512, then four up to 4096. A coarse part of them is
 * always considered; the others are for the neighbourhood of sizes with evidence.
 */
const SIZES = sizes();

/** Number of sizes. */
export const COUNT = SIZES.length;

const COARSE_SIZES = [
  1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19, 22, 26, 32, 38, 46, 54, 64, 76, 92, 108, 128, 152, 184, 216, 256, 304,
  368, 432, 512, 724, 1024, 1448, 2048, 2896, 4096,
];

/** Places of the coarse part of the grid, in order. */
export const COARSE: readonly number[] = COARSE_SIZES.map((size) => SIZES.indexOf(size));

const DOUBLINGS = SIZES.map((size) => Math.log(size) / Math.log(2));

function sizes(): number[] {
  const all = [];
  for (let size = 1; size <= 4096; size += step(size)) {
    all.push(size);
  }
  return all;
}

function step(size: number): number {
  const lower = 2 ** (31 - Math.clz32(size));
  if (size < 512) {
    return Math.max(1, Math.floor(lower / 16));
  }
  return size === lower ? Math.round(lower * (Math.sqrt(2) - 1)) : 2 * lower - size;
}

/** Returns the size at a place of the grid. */
export function sizeAt(place: number): number {
  return SIZES[place];
}

/** Returns the doublings from 1 to the size at a place of the grid. */
export function doublingsAt(place: number): number {
  return DOUBLINGS[place];
}

/** Returns the place of the size that is nearest, as a ratio. */
export function nearest(size: number): number {
  const above = atLeast(size);
  return above > 0 && size * size < SIZES[above] * SIZES[above - 1] ? above - 1 : above;
}

/** Returns the place of the first size of `size` or more, or the last of all. */
export function atLeast(size: number): number {
  let place = 0;
  while (place < COUNT - 1 && SIZES[place] < size) {
    place++;
  }
  return place;
}

/** Returns the place of the nearest size in the coarse part, as a ratio. */
export function nearestCoarse(size: number): number {
  const k = coarseAtLeast(size);
  const below = k > 0 && size * size < SIZES[COARSE[k]] * SIZES[COARSE[k - 1]];
  return COARSE[below ? k - 1 : k];
}

/** Returns the number, in the coarse part, of the first size of `size` or more. */
export function coarseAtLeast(size: number): number {
  let k = 0;
  while (k < COARSE.length - 1 && SIZES[COARSE[k]] < size) {
    k++;
  }
  return k;
}
