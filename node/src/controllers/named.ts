import { availableParallelism } from "node:os";
import names from "../names.cjs";
import { objectiveNamed } from "../objective.js";
import type { Controller } from "../window.js";
import { ResponseCurveController } from "./response-curve.js";
import { CALL_TIME, DISK_THROUGHPUT, ScaleAdapter, SERVICE_TIME, THROUGHPUT } from "./scale-adapter.js";
import { ASKED_BY, published, WORKLOADS, type Variant } from "./scale-settings.js";

/** Names of the controllers. */
export const { CONTROLLERS } = names;

/** Controller that is used where none is named. */
export const DEFAULT_CONTROLLER: ControllerName = "response-curve";

/** Name of a controller. */
export type ControllerName = (typeof CONTROLLERS)[number];

/** Settings of a controller by name; those that are missing have their standard value. */
export type Settings = Readonly<Partial<Record<string, string>>>;

/**
 * Makes a controller by its name.
 *
 * @throws RangeError naming the controller, setting or value that is unknown, with the known ones
 */
export function controllerNamed(name: string, settings: Settings = {}): Controller {
  const found = CONTROLLERS.find((each) => each === name);
  if (found === undefined) {
    throw new RangeError(`unknown controller '${name}'; known: ${CONTROLLERS.join(", ")}`);
  }
  return found === "response-curve" ? responseCurve(settings) : scaleAdapter(found, settings);
}

function require<T extends string>(setting: string, value: string, choices: readonly T[]): T {
  const found = choices.find((each) => each === value);
  if (found === undefined) {
    throw new RangeError(`${setting} has the unknown value '${value}'; known: ${choices.join(", ")}`);
  }
  return found;
}

function requireKnown(settings: Settings, names: readonly string[]): void {
  for (const setting of Object.keys(settings)) {
    if (!names.includes(setting)) {
      throw new RangeError(`unknown setting '${setting}'; known: ${names.join(", ")}`);
    }
  }
}

function decimal(settings: Settings, setting: string, standard: number): number {
  const text = settings[setting];
  const value = text === undefined || text.trim() === "" ? standard : Number(text);
  if (!Number.isFinite(value)) {
    throw new RangeError(`${setting} must be a number, but is '${text ?? ""}'`);
  }
  return value;
}

function responseCurve(settings: Settings): Controller {
  requireKnown(settings, ["objective", "tolerance", "processors"]);
  return new ResponseCurveController(
    objectiveNamed(settings["objective"] ?? "throughput"),
    decimal(settings, "tolerance", 0.03),
    decimal(settings, "processors", availableParallelism()),
  );
}

function scaleAdapter(variant: Variant, settings: Settings): Controller {
  requireKnown(settings, ["workload", "objective", "asked-by"]);
  const workload = require("workload", settings["workload"] ?? "pool", WORKLOADS);
  const objective = objectiveNamed(require("objective", settings["objective"] ?? "throughput", names.POOL_OBJECTIVES));
  const askedBy = require("asked-by", settings["asked-by"] ?? "manager", ASKED_BY);
  const disk = objective.kind === "disk-throughput";
  return new ScaleAdapter(
    variant,
    { ...published(variant, workload), askedBy },
    disk ? DISK_THROUGHPUT : THROUGHPUT,
    disk ? CALL_TIME : SERVICE_TIME,
  );
}
