package io.poolkeeper.jetty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testkit.HeldTask;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.QoSHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Resizes of Jetty that do not happen: reasons for a limit in front of it. */
@Timeout(300)
final class JettysOwnLimitsTest {

  private final HeldTask work = new HeldTask();

  private QueuedThreadPool busy(int tasks) throws Exception {
    QueuedThreadPool pool = new QueuedThreadPool(2, 2);
    pool.setReservedThreads(0);
    pool.start();
    for (int i = 0; i < tasks; i++) {
      pool.execute(work);
    }
    work.awaitBegun(2);
    return pool;
  }

  private void stop(QueuedThreadPool pool) throws Exception {
    work.letGo();
    pool.stop();
  }

  @Test
  void aRaisedMaximumDoesNothingForABacklogUntilTheNextTask() throws Exception {
    QueuedThreadPool pool = busy(10);
    try {
      pool.setMaxThreads(10);
      assertThat(pool.getThreads()).isEqualTo(2);
      assertThat(pool.getQueueSize()).isEqualTo(8);
      pool.execute(work);
      work.awaitBegun(1);
      assertThat(pool.getThreads()).isBetween(3, 10);
    } finally {
      stop(pool);
    }
  }

  @Test
  void aRaisedMinimumStartsThreadsAtOnce() throws Exception {
    QueuedThreadPool pool = busy(10);
    try {
      pool.setMaxThreads(6);
      pool.setMinThreads(6);
      assertThat(pool.getThreads()).isEqualTo(6);
    } finally {
      stop(pool);
    }
  }

  @Test
  void aLoweredMaximumLeavesThreadsThatAreBusy() throws Exception {
    QueuedThreadPool pool = busy(2);
    try {
      pool.setMinThreads(1);
      pool.setMaxThreads(1);
      assertThat(pool.getThreads()).isEqualTo(2);
    } finally {
      stop(pool);
    }
  }

  @Test
  void qualityOfServiceCannotBeChangedOnceItRuns() throws Exception {
    Server server = new Server();
    QoSHandler handler = new QoSHandler();
    server.setHandler(handler);
    server.start();
    try {
      assertThatThrownBy(() -> handler.setMaxRequestCount(5))
          .isInstanceOf(IllegalStateException.class);
    } finally {
      server.stop();
    }
  }

  @Test
  void limitOfVirtualThreadsCannotBeChangedOnceItRuns() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "there are no virtual threads");
    VirtualThreadPool pool = new VirtualThreadPool(5);
    pool.start();
    try {
      assertThatThrownBy(() -> pool.setMaxThreads(6)).isInstanceOf(IllegalStateException.class);
    } finally {
      pool.stop();
    }
  }
}
