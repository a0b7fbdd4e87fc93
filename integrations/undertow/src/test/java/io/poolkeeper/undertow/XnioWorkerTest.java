package io.poolkeeper.undertow;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.HeldTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xnio.OptionMap;
import org.xnio.Options;
import org.xnio.Xnio;
import org.xnio.XnioWorker;

/** The threads of an XNIO worker by its own option, as docs/integrations.md tunes them. */
@Timeout(300)
final class XnioWorkerTest {

  private final HeldTask work = new HeldTask();

  private static Resizable threads(XnioWorker worker) {
    return Resizable.of(
        "xnio",
        new Bounds(1, 100),
        worker.getMXBean()::getMaxWorkerPoolSize,
        size -> {
          try {
            worker.setOption(Options.WORKER_TASK_MAX_THREADS, size);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Test
  void theOptionTakesEffectWhileTasksWait() throws Exception {
    XnioWorker worker =
        Xnio.getInstance()
            .createWorker(
                OptionMap.builder()
                    .set(Options.WORKER_IO_THREADS, 1)
                    .set(Options.WORKER_TASK_CORE_THREADS, 2)
                    .set(Options.WORKER_TASK_MAX_THREADS, 2)
                    .getMap());
    try {
      Resizable threads = threads(worker);
      for (int i = 0; i < 10; i++) {
        worker.execute(work);
      }
      work.awaitBegun(2);
      assertThat(threads.size()).isEqualTo(2);

      threads.resize(6);

      assertThat(threads.size()).isEqualTo(6);
      worker.execute(work); // Threads start with the next task.
      work.awaitBegun(1);
      threads.resize(1);
      assertThat(threads.size()).isEqualTo(1);
    } finally {
      work.letGo();
      worker.shutdown();
      worker.awaitTermination();
    }
  }
}
