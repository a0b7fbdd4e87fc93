import { getEnvironmentData } from "node:worker_threads";
import { Board, type PoolMetrics } from "./pool/board.js";

/** Answer to the question for metrics: of a pool that is sized, or the reason why there are none. */
export type Metrics = (PoolMetrics & { readonly active: true }) | { readonly active: false; readonly problem: string };

/**
 * Returns the metrics of libuv's pool, which Node itself does not offer: busy workers, waiting tasks and their wait, and
 * the size with its reason. Works in every thread of the process.
 */
export function metrics(): Metrics {
  const found = getEnvironmentData("poolkeeper") as unknown;
  if (!(found instanceof SharedArrayBuffer)) {
    const problem = typeof found === "string" ? found : "Node was started without --import poolkeeper/register";
    return { active: false, problem };
  }
  const last = new Board(found).read();
  return last === undefined ? { active: false, problem: "no window has passed yet" } : { active: true, ...last };
}
