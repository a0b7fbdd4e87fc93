package io.poolkeeper.testbed.servers.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.testbed.servers.admission.Admission.Permit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permits, whatever becomes of the task and of the thread that it needs. */
@Timeout(300)
final class AdmissionExecutorTest {

  private final List<String> outcomes = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private CompletableFuture<Permit> asked = new CompletableFuture<>();
  private final AdmissionExecutor executor = new AdmissionExecutor("test", () -> asked, threads);

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private Permit permit() {
    return new Permit() {
      @Override
      public void success() {
        add("success");
      }

      @Override
      public void dropped() {
        add("dropped");
      }

      @Override
      public void ignore() {
        add("ignored");
      }
    };
  }

  private synchronized void add(String outcome) {
    outcomes.add(outcome);
  }

  private final class Task implements AdmissibleTask {
    private final boolean fails;

    Task(boolean fails) {
      this.fails = fails;
    }

    @Override
    public void run() {
      add("run");
    }

    @Override
    public boolean failed() {
      return fails;
    }

    @Override
    public void refuse() {
      add("refused");
    }
  }

  private void drain() throws InterruptedException {
    executor.shutdown();
    assertThat(executor.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(executor.isTerminated()).isTrue();
  }

  @Test
  void tellsThePermitWhatBecameOfTheTask() throws InterruptedException {
    asked = CompletableFuture.completedFuture(permit());
    executor.execute(new Task(false));
    drain();
    assertThat(outcomes).containsExactly("run", "success");
  }

  @Test
  void aTaskThatFailedIsDropped() throws InterruptedException {
    asked = CompletableFuture.completedFuture(permit());
    executor.execute(new Task(true));
    drain();
    assertThat(outcomes).containsExactly("run", "dropped");
  }

  @Test
  void aTaskThatThrewIsDropped() throws InterruptedException {
    asked = CompletableFuture.completedFuture(permit());
    executor.execute(
        () -> {
          throw new StackOverflowError("deep");
        });
    drain();
    assertThat(outcomes).containsExactly("dropped");
  }

  @Test
  void withoutAThreadThePermitComesBack() throws InterruptedException {
    threads.shutdown();
    asked = CompletableFuture.completedFuture(permit());
    assertThatThrownBy(() -> executor.execute(new Task(false)))
        .isInstanceOf(RejectedExecutionException.class);
    drain();
    assertThat(outcomes).containsExactly("ignored");
  }

  @Test
  void aTaskThatWaitedAndFindsNoThreadIsToldSo() throws InterruptedException {
    executor.execute(new Task(false));
    threads.shutdown();
    asked.complete(permit());
    drain();
    assertThat(outcomes).containsExactly("ignored", "refused");
  }

  @Test
  void aWaitInVainIsToldSo() throws InterruptedException {
    executor.execute(new Task(false));
    executor.shutdown();
    assertThat(executor.isTerminated()).as("a task waits").isFalse();
    asked.completeExceptionally(new RejectedExecutionException());
    drain();
    assertThat(outcomes).containsExactly("refused");
  }

  @Test
  void aPermitThatComesAfterTheEndIsGivenBack() throws InterruptedException {
    executor.execute(new Task(false));
    executor.shutdownNow();
    asked.complete(permit());
    drain();
    assertThat(outcomes).containsExactly("ignored", "refused");
  }

  @Test
  void afterTheEndNothingIsTaken() throws InterruptedException {
    drain();
    assertThatThrownBy(() -> executor.execute(new Task(false)))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("test takes no more work");
  }

  @Test
  void aRefusalAtOnceIsARejection() throws InterruptedException {
    asked = Admission.refusal();
    assertThatThrownBy(() -> executor.execute(new Task(false)))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("test is at its limit");
    drain();
    assertThat(outcomes).isEmpty();
  }
}
