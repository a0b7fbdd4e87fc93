import { diskThroughput, seconds, throughput, type Window } from "./window.js";

/**
 * Value to optimise. `throughput`: completions per second; `mean-response-time`; a percentile such as
 * `p99-response-time`; `goodput:300ms`: completions within a bound per second; `disk-throughput`: bytes of read and
 * write calls per second.
 */
export interface Objective {
  readonly name: string;
  readonly kind: "throughput" | "mean-response-time" | "percentile" | "goodput" | "disk-throughput";
  /** Returns the value in a window, NaN where the window lacks it. */
  value(window: Window): number;
}

const GOODPUT = /^goodput:(\d{1,18})(ns|us|ms|s)$/;
const PERCENTILE = /^p(\d{2,16})-response-time$/;

/**
 * Returns an objective by its name.
 *
 * @throws RangeError with the known names if there is none of that name
 */
export function objectiveNamed(name: string): Objective {
  if (name === "throughput") {
    return { name, kind: name, value: throughput };
  }
  if (name === "mean-response-time") {
    return { name, kind: name, value: (window) => window.responseMean };
  }
  if (name === "disk-throughput") {
    return { name, kind: name, value: diskThroughput };
  }
  const bound = GOODPUT.exec(name);
  if (bound !== null && Number(bound[1]) > 0) {
    return { name, kind: "goodput", value: (window) => window.withinBound / seconds(window) };
  }
  const percentile = PERCENTILE.exec(name);
  const fraction = percentile === null ? 0 : Number(`0.${percentile[1]}`);
  if (fraction >= 0.5 && fraction <= 0.9999) {
    return { name, kind: "percentile", value: (window) => window.responsePercentiles[fraction] ?? NaN };
  }
  throw new RangeError(
    `unknown objective '${name}'; known: throughput, mean-response-time, disk-throughput, a percentile such as ` +
      "p99-response-time (p50 to p9999), goodput with its bound, such as goodput:300ms",
  );
}

/** Returns whether a larger value is better: for rates, not for response times. */
export function higherIsBetter(objective: Objective): boolean {
  return objective.kind !== "mean-response-time" && objective.kind !== "percentile";
}

/** Formats a value of an objective with its unit. */
export function format(objective: Objective, value: number): string {
  if (objective.kind === "disk-throughput") {
    return `${(value / 1e6).toFixed(1)} MB/s`;
  }
  return higherIsBetter(objective) ? `${value.toFixed(1)}/s` : `${(value / 1e6).toFixed(value < 1e6 ? 3 : 1)} ms`;
}
