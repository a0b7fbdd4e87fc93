package io.poolkeeper.testbed.controllers.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.controllers.FakePool;
import io.poolkeeper.testbed.controllers.Reason;
import io.poolkeeper.testbed.controllers.reactive.IdleWorkers.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class IdleWorkersTest {

  private static final long SECOND = 1_000_000_000;

  private final Reason because = new Reason();

  @Test
  void newestFirstTheSmallestIdleNumberOfTheTimeOutLeaves() {
    IdleWorkers idle = new IdleWorkers(Order.NEWEST_FIRST, 4 * SECOND);
    FakePool pool = new FakePool(40);
    SplittableRandom random = new SplittableRandom(1);
    List<long[]> history = new ArrayList<>();
    int left = 0;
    for (int event = 0; event < 5_000; event++) {
      pool.after(random.nextInt(400)).with(random.nextInt(41));
      idle.observe(pool);
      history.add(new long[] {pool.now(), pool.idle()});
      int smallest = pool.size();
      for (int i = history.size() - 1; i >= 0; i--) {
        smallest = (int) Math.min(smallest, history.get(i)[1]);
        if (history.get(i)[0] <= pool.now() - 4 * SECOND) {
          break;
        }
      }
      boolean covered = history.get(0)[0] <= pool.now() - 4 * SECOND;
      int size = idle.leave(pool, 1, because);
      assertThat(pool.size() - size).isEqualTo(covered ? Math.min(smallest, pool.size() - 1) : 0);
      if (size < pool.size()) {
        left += pool.size() - size;
        // They come back, as new workers, so that the next ones can be looked at.
        history.clear();
        idle = new IdleWorkers(Order.NEWEST_FIRST, 4 * SECOND);
      }
    }
    assertThat(left).isPositive();
  }

  /** One task a second on three workers: taking turns, none is idle for the time-out of four. */
  @Test
  void workersThatTakeTurnsAreKeptByATrickle() {
    assertThat(afterATrickle(Order.LONGEST_IDLE_FIRST)).isEqualTo(3);
    assertThat(afterATrickle(Order.NEWEST_FIRST)).isEqualTo(1);
  }

  private int afterATrickle(Order order) {
    IdleWorkers idle = new IdleWorkers(order, 4 * SECOND);
    FakePool pool = new FakePool(3);
    int size = 3;
    for (int second = 0; second < 20; second++) {
      idle.observe(pool.with(0));
      idle.observe(pool.after(500).with(1));
      idle.observe(pool.after(500).with(0));
      size = idle.leave(pool, 0, because);
      pool.follow(size);
    }
    return size;
  }

  @Test
  void thoseThatLeaveAreNotCountedAgain() {
    IdleWorkers idle = new IdleWorkers(Order.NEWEST_FIRST, SECOND);
    FakePool pool = new FakePool(3);
    idle.observe(pool);
    pool.follow(5);
    idle.observe(pool.after(600));
    idle.observe(pool.after(400));
    assertThat(idle.leave(pool, 0, because)).as("the two new ones are younger").isEqualTo(2);
    pool.follow(2);
    idle.observe(pool);
    assertThat(idle.leave(pool, 0, because)).isEqualTo(2);
    idle.observe(pool.after(600));
    assertThat(idle.leave(pool, 0, because)).isZero();
  }
}
