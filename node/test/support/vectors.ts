import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Bounds, Window } from "../../src/window.js";

/** File of `contract/vectors`. */
export interface Vectors {
  readonly columns: readonly string[];
  readonly sequences: readonly {
    readonly name: string;
    readonly settings: Record<string, string>;
    readonly bounds?: Bounds;
    readonly steps: readonly {
      readonly window: readonly number[];
      readonly size: number;
      readonly numbers: Record<string, number>;
    }[];
  }[];
}

/** Returns the path of a file of the contract. */
export function contract(path: string): string {
  // This file runs from node/build/test/support.
  return fileURLToPath(new URL(`../../../../contract/${path}`, import.meta.url));
}

/** Reads the vectors of a controller. */
export function vectors(controller: string): Vectors {
  return JSON.parse(readFileSync(contract(`vectors/${controller}.json`), "utf8")) as Vectors;
}

/** Makes a window of a row. */
export function windowOf(columns: readonly string[], row: readonly number[]): Window {
  const cell = (name: string): number => {
    const value = row.at(columns.indexOf(name));
    if (value === undefined || !columns.includes(name)) {
      throw new Error(`the vectors have no ${name}`);
    }
    return value;
  };
  return {
    start: cell("start"),
    end: cell("end"),
    size: cell("size"),
    busy: cell("busy"),
    queueMean: cell("queueMean"),
    queueMax: cell("queueMax"),
    arrivals: cell("arrivals"),
    completions: cell("completions"),
    failures: cell("failures"),
    rejections: cell("rejections"),
    withinBound: cell("withinBound"),
    serviceMean: cell("serviceMean"),
    responseMean: cell("responseMean"),
    responsePercentiles: { 0.5: cell("responseP50"), 0.99: cell("responseP99") },
    workerCpu: cell("workerCpu"),
    processCpu: cell("processCpu"),
    gc: cell("gc"),
    disk: { logicalBytes: cell("diskBytes"), calls: cell("diskCalls"), changes: cell("diskChanges") },
    queuedByWorkers: cell("queuedByWorkers"),
  };
}
