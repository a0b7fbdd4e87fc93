package io.poolkeeper.testbed.peers.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.peers.pools.PeerPool;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A size that was raised while a backlog waits, and has no effect before new work comes. */
@Timeout(300)
final class RaisedMaximumTest {

  /**
   * 100 tasks on 2 threads, so that 98 wait; the size is raised to 10; then one more task comes.
   */
  @ParameterizedTest(name = "{0}: {1}, {2} after one more task")
  @CsvSource({
    "poolkeeper,      10, 10",
    "jdk,             10, 10",
    "virtual-threads, 10, 10",
    "jdk-maximum,      2,  2",
    "jboss,            2,  3",
    "jetty,            2,  3",
    "tomcat,           2,  3",
  })
  void raisedFrom2To10With98Waiting(String name, int threads, int afterOneMore) {
    try (PeerPool pool = Pools.named(name, 2)) {
      assumeTrue(pool.bounds().contain(10), name + " has the size that it started with");
      CountDownLatch two = new CountDownLatch(2);
      CountDownLatch raised = new CountDownLatch(threads);
      CountDownLatch release = new CountDownLatch(1);
      Runnable held =
          () -> {
            two.countDown();
            raised.countDown();
            Pools.await(release);
          };
      for (int i = 0; i < 100; i++) {
        pool.execute(held);
      }
      Pools.await(two);
      assertThat(pool.threads()).as("before").isEqualTo(2);
      pool.resize(10);
      assertThat(pool.size()).as("the size it says it has").isEqualTo(10);
      if (threads == 10) {
        Pools.await(raised); // Virtual threads are woken, and count once they run.
      }
      assertThat(pool.threads()).as("threads of 10").isEqualTo(threads);
      pool.execute(held);
      assertThat(pool.threads()).as("after one more task").isEqualTo(afterOneMore);
      release.countDown();
    }
  }
}
