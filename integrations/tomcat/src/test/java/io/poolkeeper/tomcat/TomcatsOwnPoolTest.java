package io.poolkeeper.tomcat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.testkit.HeldTask;
import java.util.concurrent.TimeUnit;
import org.apache.catalina.core.StandardThreadExecutor;
import org.apache.tomcat.util.threads.TaskQueue;
import org.apache.tomcat.util.threads.TaskThreadFactory;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;
import org.junit.jupiter.api.Test;

/** Resizes of Tomcat's own pools that do not happen: reasons to replace the pool. */
final class TomcatsOwnPoolTest {

  @Test
  void aRaisedMaximumStartsNoThreadForTasksThatWaitAndARaisedCoreDoes() {
    TaskQueue queue = new TaskQueue();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            2,
            2,
            60,
            TimeUnit.SECONDS,
            queue,
            new TaskThreadFactory("own-", true, Thread.NORM_PRIORITY));
    queue.setParent(pool);
    HeldTask work = new HeldTask();
    try {
      for (int i = 0; i < 50; i++) {
        pool.execute(work);
      }
      pool.setMaximumPoolSize(10);
      assertThat(pool.getPoolSize()).isEqualTo(2);
      pool.setCorePoolSize(10);
      assertThat(pool.getPoolSize()).isEqualTo(10);
    } finally {
      work.letGo();
      pool.shutdown();
    }
  }

  @Test
  void resizePoolOfTheStandardExecutorRefusesACoreAboveTheOldMaximum() throws Exception {
    StandardThreadExecutor executor = new StandardThreadExecutor();
    executor.setName("own");
    executor.setMinSpareThreads(5);
    executor.setMaxThreads(10);
    executor.start();
    try {
      assertThatThrownBy(() -> executor.resizePool(50, 50))
          .isInstanceOf(IllegalArgumentException.class);
    } finally {
      executor.stop();
      executor.destroy();
    }
  }
}
