/** Names that the preload checks before it starts the pool. It is a CommonJS module, as the preload is one. */

/** Published variants of the scale adapter. */
const VARIANTS = ["scale-adapter", "scale-adapter-drop", "scale-adapter-average", "scale-adapter-calls"] as const;

/** Names of the controllers. */
const CONTROLLERS = ["response-curve", ...VARIANTS] as const;

/** Objectives for which the windows of the thread pool hold the value. */
const POOL_OBJECTIVES = ["throughput", "disk-throughput"] as const;

/** Changes of a letter up to which a name is taken for a mistyped one. */
const NEAR = 2;

/** Returns the number of letters to change, add or leave out between two names. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (from[i] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, 1 + (row[j] ?? 0), 1 + (next[j - 1] ?? 0)));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Returns the name that somebody meant who wrote another one; undefined where none is near. */
function meant(written: string, names: readonly string[]): string | undefined {
  return names.find((name) => distance(written, name) <= NEAR);
}

export = { VARIANTS, CONTROLLERS, POOL_OBJECTIVES, meant };
