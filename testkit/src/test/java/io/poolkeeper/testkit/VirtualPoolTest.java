package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Bounds;
import io.poolkeeper.Window;
import org.junit.jupiter.api.Test;

final class VirtualPoolTest {

  private final VirtualPool pool = new VirtualPool("pool", new Bounds(1, 8), 4, n -> 10.0 * n);

  @Test
  void followsItsCurveAndLittlesLaw() {
    pool.users(10);
    Window window = pool.closeWindow(2_000_000_000L);
    assertThat(window.completions()).isEqualTo(80);
    assertThat(window.busy()).isEqualTo(4);
    assertThat(window.queueMean()).isEqualTo(6);
    // 10 users at 40/s: 250 ms, of which 100 ms in one of 4 workers.
    assertThat(window.responseTime().mean()).isCloseTo(250e6, within(1e-3));
    assertThat(window.serviceTime().mean()).isCloseTo(100e6, within(1e-3));
    assertThat(window.queueWait().mean()).isCloseTo(150e6, within(1e-3));
  }

  @Test
  void carriesWhatIsUnfinishedOver() {
    pool.users(1);
    long all = 0;
    for (int i = 1; i <= 1000; i++) {
      all += pool.closeWindow(i * 7_000_000L).completions();
    }
    assertThat(all).isBetween(69L, 70L);
  }

  @Test
  void isIdleWithoutUsersAndTakesASizeAtOnce() {
    assertThat(pool.closeWindow(1).idle()).isTrue();
    pool.users(100);
    pool.resize(8);
    assertThat(pool.closeWindow(1_000_000_001L).completions()).isEqualTo(80);
    assertThatThrownBy(() -> pool.resize(9)).hasMessage("size must be within 1..8, but is 9");
    assertThatThrownBy(() -> pool.users(-1)).hasMessage("users must be >= 0, but is -1");
  }

  @Test
  void theScalabilityLawHasItsPeakWhereItsFormulaSays() {
    var curve = VirtualPool.scalability(100, 0.02, 0.0005);
    int best = 1;
    for (int n = 1; n <= 100; n++) {
      best = curve.applyAsDouble(n) > curve.applyAsDouble(best) ? n : best;
    }
    assertThat(best).isEqualTo((int) Math.round(Math.sqrt(0.98 / 0.0005)));
    assertThat(curve.applyAsDouble(1)).isEqualTo(100);
  }
}
