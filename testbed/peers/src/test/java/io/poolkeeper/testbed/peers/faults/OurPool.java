package io.poolkeeper.testbed.peers.faults;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Bounds;
import io.poolkeeper.Mode;
import io.poolkeeper.testbed.peers.pools.PeerPool;

/** The library's own pool among those of others; its size is changed by hand. */
final class OurPool implements PeerPool {

  private final AdaptiveExecutor pool;

  OurPool(int size) {
    pool =
        AdaptiveExecutor.builder("poolkeeper")
            .bounds(1, 1000)
            .initialSize(size)
            .mode(Mode.FROZEN)
            .jmx(false)
            .threadFactory(
                task -> {
                  Thread thread = new Thread(task, "poolkeeper");
                  thread.setDaemon(true);
                  thread.setUncaughtExceptionHandler((dying, thrown) -> {});
                  return thread;
                })
            .build();
  }

  @Override
  public String name() {
    return "poolkeeper";
  }

  @Override
  public int size() {
    return pool.size();
  }

  @Override
  public Bounds bounds() {
    return pool.bounds();
  }

  @Override
  public void resize(int size) {
    pool.resize(size);
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  @Override
  public int threads() {
    return pool.workers().size();
  }

  @Override
  public int queued() {
    return pool.queued();
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
