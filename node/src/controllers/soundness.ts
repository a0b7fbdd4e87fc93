import { seconds, type Window } from "../window.js";

const LONGEST = 24 * 3600 * 1e9;
const LARGEST = 1_000_000;

/** Tasks a second that no pool ends. */
const FASTEST = 1e12;

/** Returns what cannot be true of a window; undefined if all of it can. */
export function fault(window: Window): string | undefined {
  const length = window.end - window.start;
  if (!(length > 0 && length <= LONGEST)) {
    return `its length is ${length} ns`;
  }
  if (!(window.size >= 1 && window.size <= LARGEST)) {
    return `its size is ${window.size}`;
  }
  if (!(window.busy >= 0 && window.busy <= LARGEST)) {
    return `its mean of busy workers is ${window.busy}`;
  }
  if (!(window.queueMean >= 0 && Number.isFinite(window.queueMean))) {
    return `its mean of waiting tasks is ${window.queueMean}`;
  }
  const tooMany = (window.completions + window.failures) / seconds(window) > FASTEST;
  if (!(window.completions >= 0 && window.failures >= 0) || tooMany) {
    return `it ended ${window.completions} tasks and ${window.failures} failed`;
  }
  const times = [window.serviceMean, window.responseMean];
  if (!times.every((mean) => mean >= 0 && Number.isFinite(mean))) {
    return `its mean service time is ${window.serviceMean} ns`;
  }
  return undefined;
}

/** Returns whether no task ran and none waited. */
export function empty(window: Window): boolean {
  return window.completions + window.failures === 0 && window.busy === 0 && window.queueMean === 0;
}
