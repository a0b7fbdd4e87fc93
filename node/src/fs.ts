import fs from "node:fs/promises";
import { Adaptation, requireOptions, type AdaptOptions, type LimitMetrics } from "./adaptation.js";
import { Limiter } from "./limiter.js";

/** Size that libuv gives its pool unless it is told another. */
const USUAL_SIZE = 4;

/** Functions of `node:fs/promises` that are no single request, and so have no limit of their own. */
const UNLIMITED = new Set<string>(["watch", "glob", "opendir"]);

/** Methods of a file handle that are requests of the pool; `close` never waits, since it makes room. */
const HANDLE_METHODS = new Set<string | symbol>([
  "appendFile",
  "chmod",
  "chown",
  "datasync",
  "read",
  "readFile",
  "readv",
  "stat",
  "sync",
  "truncate",
  "utimes",
  "write",
  "writeFile",
  "writev",
]);

/** File system with a limit on the requests that run at a time, and which is kept at its best size. */
export interface LimitedFs {
  /** Functions of `node:fs/promises`. */
  readonly fs: typeof fs;
  /** Returns the metrics of the last window. */
  readonly metrics: () => LimitMetrics;
  /** Ends the adaptation; the limit stays. */
  readonly close: () => void;
}

type AnyFunction = (...values: unknown[]) => unknown;

/**
 * Makes a limited file system, on every platform and without a preload. The limit cannot do more than the thread pool:
 * start Node with `UV_THREADPOOL_SIZE=64`, or another maximum.
 *
 * @param options `maximum` is UV_THREADPOOL_SIZE unless it is given
 */
export function limited(options: AdaptOptions = {}): LimitedFs {
  const pool = Number(process.env["UV_THREADPOOL_SIZE"] ?? USUAL_SIZE);
  const maximum = requireOptions(options, pool >= 1 ? Math.floor(pool) : USUAL_SIZE);
  const limiter = new Limiter(Math.min(USUAL_SIZE, maximum), maximum);
  const adaptation = new Adaptation(limiter, limiter.meter, options);
  const handles = new WeakMap<object, fs.FileHandle>();

  const original = (value: unknown): unknown =>
    typeof value === "object" && value !== null ? (handles.get(value) ?? value) : value;

  const limit =
    (target: object, method: AnyFunction): AnyFunction =>
    (...values) =>
      limiter.run(() => Reflect.apply(method, target, values.map(original)));

  const limitHandle = (handle: fs.FileHandle): fs.FileHandle => {
    const proxy = new Proxy(handle, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") {
          return value;
        }
        // Its fields are private, so a method needs the handle itself.
        return HANDLE_METHODS.has(name) ? limit(target, value as AnyFunction) : (value as AnyFunction).bind(target);
      },
    });
    handles.set(proxy, handle);
    return proxy;
  };

  const wrapped: Record<string, unknown> = { ...fs };
  for (const [name, value] of Object.entries(fs)) {
    if (typeof value === "function" && !UNLIMITED.has(name)) {
      wrapped[name] = limit(fs, value as AnyFunction);
    }
  }
  wrapped["open"] = async (...values: Parameters<typeof fs.open>) =>
    limitHandle(await limiter.run(() => fs.open(...values)));
  return {
    fs: wrapped as unknown as typeof fs,
    metrics: () => adaptation.metrics(),
    close: () => {
      adaptation.close();
    },
  };
}
