import names from "../names.cjs";

/** Workloads for which settings of the scale adapter were published. */
export const WORKLOADS = ["pool", "node", "rocksdb"] as const;

/** Workload for which settings were published. */
export type Workload = (typeof WORKLOADS)[number];

/** Ways to ask for advice: a manager does every interval, or workers do between two jobs. */
export const ASKED_BY = ["manager", "workers"] as const;

/** Way to ask for advice. */
export type AskedBy = (typeof ASKED_BY)[number];

/** Published variants of the scale adapter. */
export const { VARIANTS } = names;

/** Published variant of the scale adapter. */
export type Variant = (typeof VARIANTS)[number];

/** Settings of a scale adapter; times in nanoseconds. */
export interface ScaleSettings {
  /** Time between two pieces of advice. */
  readonly interval: number;
  /** Factor that a change must exceed to count, above 0 and at most 1. */
  readonly stability: number;
  /** Time over which the rate is averaged; 0 for the interval alone. */
  readonly averaging: number;
  /** Whether a fall to below 0.3 of the rate before is passed over. */
  readonly passDrops: boolean;
  /** Whether steps down end when the mean time of a call rises. */
  readonly watchCalls: boolean;
  readonly askedBy: AskedBy;
}

type Row = readonly [interval: number, stability: number, averaging?: number];

const PLAIN: Record<Workload, Row> = { pool: [800, 0.97], node: [1500, 0.9], rocksdb: [1000, 0.9] };

const ROWS: Record<Variant, Record<Workload, Row>> = {
  "scale-adapter": PLAIN,
  "scale-adapter-drop": { pool: [1500, 0.95], node: [800, 0.97], rocksdb: [1000, 0.9] },
  "scale-adapter-average": { pool: [1500, 0.95, 3000], node: [1000, 0.95, 5000], rocksdb: [1000, 0.9, 5000] },
  // None were published for it.
  "scale-adapter-calls": PLAIN,
};

/** Returns the published settings of a variant for a workload. */
export function published(variant: Variant, workload: Workload): ScaleSettings {
  const [interval, stability, averaging = 0] = ROWS[variant][workload];
  return {
    interval: interval * 1e6,
    stability,
    averaging: averaging * 1e6,
    passDrops: variant === "scale-adapter-drop",
    watchCalls: variant === "scale-adapter-calls",
    askedBy: "manager",
  };
}
