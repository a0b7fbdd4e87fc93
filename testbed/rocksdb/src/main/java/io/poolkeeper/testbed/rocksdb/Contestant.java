package io.poolkeeper.testbed.rocksdb;

import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Mode;
import io.poolkeeper.rocksdb.RocksDbPools;
import io.poolkeeper.testbed.commands.Names;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Env;
import org.rocksdb.Priority;
import org.rocksdb.RateLimiter;
import org.rocksdb.RateLimiterMode;
import org.rocksdb.RocksDBException;

/**
 * Method that sizes the background threads of a store.
 *
 * @param name {@code default} (RocksDB's two jobs), {@code fixed}, {@code rate-limiter} (RocksDB's
 *     own, which tunes itself, on a fixed size), {@code adoc}, or a controller of the library or
 *     the testbed
 * @param settings settings of the controller; {@code size} of the first three
 * @param initial threads of each pool to begin with
 * @param maximum most threads of each pool
 * @param adviceOnly whether decisions are not followed
 */
record Contestant(
    String name, Map<String, String> settings, int initial, int maximum, boolean adviceOnly) {

  private static final String DEFAULT = "default";
  private static final String FIXED = "fixed";
  private static final String RATE_LIMITER = "rate-limiter";
  private static final String ADOC = "adoc";

  /** Bytes per second at which the limiter of RocksDB starts; it goes down to a twentieth. */
  private static final long LIMIT = 1_000_000_000;

  private static final long REFILL_MICROS = 100_000;
  private static final int FAIRNESS = 10;
  private static final long SECOND = 1_000_000_000L;

  /**
   * @throws IllegalArgumentException with the nearest name if there is no such contestant, or with
   *     the setting that is wrong
   */
  Contestant {
    Set<String> names = new TreeSet<>(Set.of(DEFAULT, RATE_LIMITER, ADOC));
    Controllers.all().forEach(controller -> names.add(controller.name()));
    Names.require("controller", name, names);
    if (tuned(name)) {
      Controllers.named(name, settings); // Reports a wrong setting before a database is made.
    } else {
      requireEffect(name, settings, adviceOnly);
    }
  }

  /** Refuses settings without effect on those that are no controllers. */
  private static void requireEffect(String name, Map<String, String> settings, boolean adviceOnly) {
    Set<String> taken = Set.of(FIXED, RATE_LIMITER).contains(name) ? Set.of("size") : Set.of();
    for (String setting : settings.keySet()) {
      if (!taken.contains(setting)) {
        throw new IllegalArgumentException(
            "unknown setting of %s '%s'; known: %s"
                .formatted(name, setting, taken.isEmpty() ? "none" : "size"));
      }
    }
    if (adviceOnly) {
      throw new IllegalArgumentException(name + " has no decisions that could be computed only");
    }
  }

  private static boolean tuned(String name) {
    return !Set.of(DEFAULT, FIXED, RATE_LIMITER, ADOC).contains(name);
  }

  private int size() {
    String text = settings.getOrDefault("size", "2");
    if (!text.matches("[1-9]\\d{0,2}")) {
      throw new IllegalArgumentException("size must be from 1 to 999, but is '" + text + "'");
    }
    return Integer.parseInt(text);
  }

  /** Flushes and compactions that the store must allow at once; 0 for RocksDB's default. */
  int ceiling() {
    return switch (name) {
      case DEFAULT -> 0;
      case FIXED, RATE_LIMITER -> size();
      default -> maximum;
    };
  }

  /** Returns the limiter that the store is opened with; null for none. */
  @Nullable RateLimiter limiter() {
    return name.equals(RATE_LIMITER)
        ? new RateLimiter(LIMIT, REFILL_MICROS, FAIRNESS, RateLimiterMode.WRITES_ONLY, true)
        : null;
  }

  /** Begins to size the threads of a store that is open. */
  AutoCloseable start(Store store, ControlListener listener) throws RocksDBException {
    if (name.equals(ADOC)) {
      return adoc(store);
    } else if (tuned(name)) {
      return RocksDbPools.attach(store.db(), loop(listener), loop(listener));
    }
    // The environment may have more threads than a store before has left.
    int size = name.equals(DEFAULT) ? 1 : size();
    resize(size, size);
    return () -> {};
  }

  private Consumer<ControlLoop.Builder> loop(ControlListener listener) {
    return loop ->
        loop.controller(Controllers.named(name, settings))
            .mode(adviceOnly ? Mode.DRY_RUN : Mode.ACTIVE)
            .listener(listener)
            .quiet()
            .jmx(false);
  }

  private static void resize(int flushes, int compactions) {
    Env.getDefault().setBackgroundThreads(flushes, Priority.HIGH);
    Env.getDefault().setBackgroundThreads(compactions, Priority.LOW);
  }

  private AutoCloseable adoc(Store store) {
    AdocRule rule = new AdocRule(2 * initial, maximum);
    resize(AdocRule.flushes(2 * initial), 2 * initial - AdocRule.flushes(2 * initial));
    return Companion.start("adoc", over -> followAdoc(store, rule, over));
  }

  private static void followAdoc(Store store, AdocRule rule, AtomicBoolean over)
      throws RocksDBException {
    long written = store.userBytes();
    long flushed = store.flushedBytes();
    double flushing = store.flushSeconds();
    long compacted = System.nanoTime();
    long last = compacted;
    while (!over.get()) {
      LockSupport.parkNanos(last + SECOND - System.nanoTime());
      long now = System.nanoTime();
      if (now - last < SECOND) {
        continue;
      }
      double seconds = store.flushSeconds() - flushing;
      compacted = store.compactions() > 0 ? now : compacted;
      int jobs =
          rule.decide(
              new AdocRule.State(
                  (store.userBytes() - written) * 1e9 / (now - last),
                  store.immutables(),
                  seconds > 0 ? (store.flushedBytes() - flushed) / seconds : 0,
                  store.level0(),
                  (now - compacted) / 1e9));
      resize(AdocRule.flushes(jobs), jobs - AdocRule.flushes(jobs));
      written = store.userBytes();
      flushed = store.flushedBytes();
      flushing = store.flushSeconds();
      last = now;
    }
  }
}
