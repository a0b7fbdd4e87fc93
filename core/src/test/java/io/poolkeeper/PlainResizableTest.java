package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Anything with a getter and a setter. */
final class PlainResizableTest {

  private final AtomicInteger size = new AtomicInteger(3);
  private final Resizable pool = Resizable.of("streams", new Bounds(2, 8), size::get, size::set);

  @Test
  void setterSetsAndGetterGets() {
    pool.resize(5);
    assertThat(size).hasValue(5);
    assertThat(pool.size()).isEqualTo(5);
    assertThat(pool.name()).isEqualTo("streams");
    assertThat(pool.bounds()).isEqualTo(new Bounds(2, 8));
  }

  @Test
  void sizeOutOfBoundsNeverReachesTheSetter() {
    assertThatThrownBy(() -> pool.resize(9)).hasMessageContaining("2..8");
    assertThat(size).hasValue(3);
  }

  @Test
  void blankNameIsRefused() {
    Semaphore any = new Semaphore(1);
    assertThatThrownBy(
            () -> Resizable.of(" ", new Bounds(1, 2), any::availablePermits, permits -> {}))
        .hasMessage("name must not be blank");
  }
}
