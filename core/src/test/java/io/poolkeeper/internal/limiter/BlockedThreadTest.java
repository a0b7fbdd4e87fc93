package io.poolkeeper.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Await;
import io.poolkeeper.Objective;
import io.poolkeeper.internal.meter.HeldPermit;
import java.lang.ref.ReferenceQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/** Tests of a thread to which its permit comes while it stops waiting. */
@Timeout(300)
final class BlockedThreadTest {

  private final Gate gate = new Gate(1);
  private final LimitMeter meter = new LimitMeter(gate, System::nanoTime, Objective.throughput());

  private static HeldPermit permit() {
    return new HeldPermit(new Object(), new ReferenceQueue<>(), System.nanoTime(), null);
  }

  /**
   * The thread wants to leave the queue while the limit rises, and finds that it has been let in.
   */
  @RepeatedTest(20)
  void aPermitThatComesWithAnInterruptIsGivenBack() throws Exception {
    assertThat(meter.tryEnter(permit())).isTrue();
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread waiter =
        new Thread(
            () -> {
              try {
                new BlockedThread(gate, meter, permit()).await(Long.MAX_VALUE);
              } catch (InterruptedException e) {
                interrupted.set(true);
              }
            });
    waiter.setDaemon(true);
    waiter.start();
    Await.until("it waits", () -> LockSupport.getBlocker(waiter) == gate);
    gate.limit(
        () -> {
          waiter.interrupt();
          Await.until("it waits for the lock", () -> waitsForAnother(waiter));
          return 2;
        },
        System.nanoTime());
    waiter.join(300_000);
    assertThat(interrupted).isTrue();
    assertThat(gate.waiting()).isZero();
    assertThat(gate.held()).as("the first permit").isEqualTo(1);
  }

  private boolean waitsForAnother(Thread waiter) {
    Object blocker = LockSupport.getBlocker(waiter);
    return blocker != null && blocker != gate;
  }
}
