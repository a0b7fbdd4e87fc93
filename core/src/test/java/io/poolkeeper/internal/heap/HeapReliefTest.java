package io.poolkeeper.internal.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Await;
import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Falls of a pool that is just growing, which takes memory and may stand still for lack of it. */
final class HeapReliefTest {

  private int size = 8;
  private int inGrowth;
  private Runnable growth = () -> {};
  private final Resizable pool = Resizable.of("pool", new Bounds(1, 100), () -> size, this::resize);

  private final Controller quarter =
      new Controller() {
        @Override
        public Decision decide(Window window) {
          return Decision.keep(window, "kept");
        }

        @Override
        public int relieve(int size, double collecting, double filling) {
          return size / 4;
        }
      };

  private void resize(int wanted) {
    boolean grows = wanted > size;
    size = wanted;
    if (grows) {
      growth.run();
      inGrowth = size;
    }
  }

  private HeapRelief growing(boolean concurrent) {
    HeapRelief relief =
        new HeapRelief(pool, quarter, () -> 0, () -> false, pool::bounds, concurrent);
    growth = () -> Await.elsewhere(() -> relief.ask(1, 0));
    relief.resize(80, relief.falls());
    return relief;
  }

  @Test
  void aPoolOfTheLibraryFallsWhileItGrows() {
    HeapRelief relief = growing(true);
    assertThat(inGrowth).isEqualTo(20);
    assertThat(size).isEqualTo(20);
    assertThat(relief.fallenFrom()).isEqualTo(80);
  }

  /** A setter of a user is called from one thread at a time. */
  @Test
  void anotherPoolFallsOnceItHasGrown() {
    HeapRelief relief = growing(false);
    assertThat(inGrowth).isEqualTo(80);
    relief.ask(1, 0);
    assertThat(size).isEqualTo(20);
  }

  @ParameterizedTest
  @CsvSource({"499, 80", "500, 20"})
  void collectionsOfAHeapThatIsNotHalfFullAreNoReason(long used, int after) {
    AtomicLong now = new AtomicLong();
    Heap heap =
        new Heap() {
          @Override
          public long used() {
            return used;
          }

          @Override
          public long most() {
            return 1000;
          }
        };
    HeapRelief relief =
        new HeapRelief(pool, quarter, now::get, () -> false, pool::bounds, true, heap);
    size = 80;
    now.set(1_000_000_000);
    relief.ask();
    assertThat(size).isEqualTo(after);
  }

  /** The fall may come between the look at it and the resize. */
  @Test
  void growthThatOvertakesAFallIsTakenBack() {
    HeapRelief relief = new HeapRelief(pool, quarter, () -> 0, () -> false, pool::bounds, true);
    growth =
        () -> {
          relief.ask(1, 0);
          size = 80;
        };
    relief.resize(80, relief.falls());
    assertThat(size).isEqualTo(20);
  }

  @Test
  void aLaterFallIsReportedWithTheNextStep() {
    HeapRelief relief = new HeapRelief(pool, quarter, () -> 0, () -> false, pool::bounds, true);
    relief.ask(1, 0);
    assertThat(relief.fallenFrom()).isEqualTo(8);
    relief.ask(1, 0);
    relief.reported();
    assertThat(relief.fallenFrom()).as("it fell once more").isEqualTo(8);
    relief.reported();
    assertThat(relief.fallenFrom()).isZero();
  }

  @Test
  void aPoolThatMustNotBeResizedIsNotAsked() {
    HeapRelief relief = new HeapRelief(pool, quarter, () -> 0, () -> true, pool::bounds, true);
    relief.ask(1, 0);
    assertThat(size).isEqualTo(8);
  }
}
