package io.poolkeeper.testbed.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.rocksdb.RocksDBException;

final class CompanionTest {

  @Test
  void failureInTheMiddleFailsTheRun() {
    for (Throwable failure :
        new Throwable[] {new RocksDBException("no property"), new StackOverflowError("deep")}) {
      Companion companion =
          Companion.start(
              "adoc",
              over -> {
                if (failure instanceof Error error) {
                  throw error;
                }
                throw (RocksDBException) failure;
              });
      assertThatThrownBy(companion::close)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("adoc failed during the run: ")
          .hasMessageContaining(failure.getMessage())
          .hasCause(failure);
    }
  }

  @Test
  void theEndWakesItAndWaitsForIt() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    CountDownLatch begun = new CountDownLatch(1);
    Companion companion =
        Companion.start(
            "sleeper",
            over -> {
              begun.countDown();
              while (!over.get()) {
                LockSupport.park();
              }
              ended.set(true);
            });
    begun.await();
    companion.close();
    assertThat(ended).isTrue();
  }
}
