package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.controllers.Reason;
import io.poolkeeper.testbed.controllers.Require;

/**
 * One more worker whenever the queue is longer than the pool, between a low and a high watermark
 * (Schmidt and Kuhns 2000 and dynamicTAO, as Bahadur and others 2014, section 2.9 describe it).
 *
 * <p><b>Rule.</b> It starts with the low watermark. When a task arrives, all workers are busy and
 * more tasks wait than there are workers, one worker is added, up to the high watermark.
 *
 * <p><b>Left open, and how it is filled.</b> The task that arrived is one of those that wait. The
 * source has no high watermark; 64 is what Timm 2021 (chapter 5) used. It never shrinks:
 * "watermark" for a pool that does, and that grows as the JDK's does, is {@link CoreAndMaximum}.
 *
 * <p><b>When it fails.</b> It keeps a queue as long as the pool: every task waits about as long as
 * it runs. One burst sets the size for ever. Where more workers make the work slower the queue
 * grows with the size and drives it to the high watermark.
 */
public final class Watermark implements EventPolicy {

  private final int low;
  private final int high;
  private final Reason because = new Reason();

  /**
   * @param low workers at the start, 1 or more; published: 2
   * @param high most workers, at least {@code low}; Timm 2021: 64
   * @throws IllegalArgumentException naming the setting that is out of its range
   */
  public Watermark(int low, int high) {
    this.low = Require.atLeast(1, "low", low);
    this.high = high;
    Require.ordered("low", low, "high", high);
  }

  @Override
  public String name() {
    return "watermark";
  }

  @Override
  public int initialSize() {
    return low;
  }

  @Override
  public int arrived(PoolState pool) {
    int size = pool.size();
    if (pool.queued() > size && pool.idle() == 0 && size < high) {
      return because.want(
          size + 1, "%.0f tasks wait, more than the %.0f workers", pool.queued(), size);
    }
    return size;
  }

  @Override
  public String reason() {
    return because.toString();
  }
}
