import { NOT_MEASURED, type Window } from "../../src/window.js";

/** Makes a window of half a second with 50 tasks on 4 busy workers, but for the values that are given. */
export function windowWith(values: Partial<Window>): Window {
  const end = values.end ?? 1e9;
  return {
    start: end - 5e8,
    end,
    size: 4,
    busy: 4,
    queueMean: 2,
    queueMax: 3,
    arrivals: 50,
    completions: 50,
    failures: 0,
    rejections: 0,
    withinBound: 50,
    serviceMean: 4e7,
    responseMean: 6e7,
    responsePercentiles: { 0.5: 5e7, 0.99: 9e7 },
    workerCpu: NOT_MEASURED,
    processCpu: NOT_MEASURED,
    gc: NOT_MEASURED,
    disk: { problem: "not measured" },
    ...values,
  };
}
