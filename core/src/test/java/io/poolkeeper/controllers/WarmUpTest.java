package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Sizes behind a limit that rejects while the program is compiled. */
final class WarmUpTest {

  private static final int FIRST = 7;
  private static final int SECOND = 13;

  private static Noise windows(double... rates) {
    Noise noise = Noise.INITIAL;
    for (double rate : rates) {
      noise = noise.plus(FIRST, Math.log(rate), 0.001);
    }
    return noise;
  }

  private static Knowledge after(double seconds) {
    return Knowledge.NONE.aged(seconds).with(FIRST, 1, Math.log(140), FIRST);
  }

  /** 100/s, then 140/s at the same size: the next window would show nearly 196/s there. */
  @Test
  void theRiseGoesOnAfterAResizeAndIsUncertain() {
    Knowledge now = new WarmUp(after(1), windows(100, 140)).knowledgeNow();
    Evidence evidence = Objects.requireNonNull(now.at(FIRST));
    assertThat(evidence.level()).isCloseTo(Math.log(193), Offset.offset(0.01));
    assertThat(evidence.weight()).isLessThan(0.1);
  }

  @Test
  void nothingMovesWithoutARiseAndWhenTheWorkIsOld() {
    assertThat(new WarmUp(after(1), windows(140, 140)).knowledgeNow()).isEqualTo(after(1));
    assertThat(new WarmUp(after(1), windows(140)).knowledgeNow()).isEqualTo(after(1));
    assertThat(new WarmUp(after(60), windows(100, 140)).knowledgeNow()).isEqualTo(after(60));
  }

  @Test
  void eachSizeGetsTwoWindowsAtFirst() {
    Noise first = Noise.INITIAL.plus(SECOND, Math.log(200), 0.001);
    Noise second = first.plus(SECOND, Math.log(200), 0.001);
    WarmUp steady = new WarmUp(after(1), windows(140, 140));
    assertThat(steady.needsAnotherWindow(first)).isTrue();
    assertThat(steady.needsAnotherWindow(second)).isFalse();
  }

  @Test
  void laterOnlyWhereTheLevelStillRises() {
    Noise first = Noise.INITIAL.plus(SECOND, Math.log(200), 0.001);
    assertThat(new WarmUp(after(10), windows(140, 140)).needsAnotherWindow(first)).isFalse();
    assertThat(new WarmUp(after(10), windows(100, 140)).needsAnotherWindow(first)).isTrue();
    assertThat(new WarmUp(after(60), windows(100, 140)).needsAnotherWindow(first)).isFalse();
  }
}
