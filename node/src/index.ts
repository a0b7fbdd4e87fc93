/** Keeps the thread pool of libuv and other limits of a service at their best size. */
export { adapt, type Adapted, type LimitFunction, type TaskQueue } from "./adapt.js";
export type { AdaptOptions, LimitMetrics } from "./adaptation.js";
export { controllerNamed, CONTROLLERS, type ControllerName, type Settings } from "./controllers/named.js";
export { metrics, type Metrics } from "./metrics.js";
export type { PoolMetrics } from "./pool/board.js";
export type { Controller, Decision, DiskStats, Window } from "./window.js";
