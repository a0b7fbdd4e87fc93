package io.poolkeeper.testbed.controllers.ntier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.controllers.ntier.Scatter.Group;
import io.poolkeeper.testbed.controllers.ntier.Scatter.Point;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Worked out by hand from the formulas of the class comments. */
final class TierControllersTest {

  private static List<Point> points(DcmController.Law law, double factor, int... concurrencies) {
    return IntStream.of(concurrencies)
        .mapToObj(n -> new Point(n, factor * law.throughput(n)))
        .toList();
  }

  /** sqrt((10 ms - 1 ms) / 10 us) = 30, where X = 30 / (10 + 29 + 8.7 ms) = 628.93/s. */
  @Test
  void dcmFitsItsLawExactly() {
    DcmController.Law law = new DcmController.Law(0.010, 0.001, 0.000_01);
    DcmController.Law fitted = DcmController.Law.fit(points(law, 1, 2, 5, 9, 20, 50)).orElseThrow();
    assertThat(fitted.alone()).isCloseTo(0.010, within(1e-12));
    assertThat(fitted.contention()).isCloseTo(0.001, within(1e-12));
    assertThat(fitted.coherence()).isCloseTo(0.000_01, within(1e-14));
    assertThat(fitted.best()).isCloseTo(30, within(1e-6));
    assertThat(fitted.throughput(30)).isCloseTo(628.930_818, within(1e-6));
  }

  /** S0 28.4 ms, a 0.1 ms, b 0.7 us: sqrt(28.3 / 0.0007). */
  @Test
  void dcmFindsAPeakBeyondItsPoints() {
    DcmController.Law law = new DcmController.Law(0.0284, 0.000_1, 0.000_000_7);
    assertThat(DcmController.Law.fit(points(law, 1, 1, 20, 40, 60)).orElseThrow().best())
        .isCloseTo(201.068_6, within(1e-3));
  }

  @Test
  void dcmHasNoPeakWithoutCoherenceOrFromOneConcurrency() {
    DcmController.Law amdahl = new DcmController.Law(0.010, 0.001, -0.000_001);
    assertThat(DcmController.Law.fit(points(amdahl, 1, 1, 5, 9, 20))).isEmpty();
    assertThat(DcmController.Law.fit(List.of(new Point(8, 100), new Point(8, 90)))).isEmpty();
    assertThat(DcmController.Law.fit(List.of())).isEmpty();
  }

  /** 12 reach 300/s; 95 % of it are 285/s, which 11 with 275/s do not reach. */
  @Test
  void sctTakesTheLowerEndOfTheFlatRange() {
    List<Group> plateau =
        IntStream.rangeClosed(1, 30)
            .mapToObj(n -> new Group(n, 25.0 * Math.min(n, 12) - 4 * Math.max(0, n - 20), 9))
            .toList();
    ScatterController.Estimate estimate = SctController.flatRange(plateau);
    assertThat(estimate.concurrency()).isEqualTo(12);
    assertThat(estimate.numbers()).containsEntry("upper", 23.0).containsEntry("throughput", 300.0);
    assertThat(estimate.reason()).isEqualTo("throughput is flat from 12 to 23, at 300.0/s");
  }

  @Test
  void sctDoesNotCrossADip() {
    List<Group> dip =
        List.of(
            new Group(4, 99, 9), new Group(5, 80, 9), new Group(6, 97, 9), new Group(7, 100, 9));
    assertThat(SctController.flatRange(dip).concurrency()).isEqualTo(6);
  }

  /** Feeds concurrencies in turn, which vary below the cap. */
  private static Decision feed(
      Controller controller, int size, int least, int most, IntToDoubleFunction rate, int windows) {
    Decision last = Decision.resize(size, "none");
    long length = controller.window().toNanos();
    for (int i = 0; i < windows; i++) {
      int busy = least + i % (most - least + 1);
      long completions = Math.round(rate.applyAsDouble(busy) * length / 1e9 * 1000);
      // A thousand times as many completions, so that all are whole.
      last =
          controller.decide(
              Window.builder(i * length, (i + 1) * length, size)
                  .busy(busy)
                  .completions(completions)
                  .withinBound(completions / 2)
                  .build());
    }
    return last;
  }

  @Test
  void sctSetsThePoolOnceInTenSeconds() {
    SctController controller = new SctController();
    Decision before = feed(controller, 40, 1, 30, n -> 20.0 * Math.min(n, 12), 199);
    assertThat(before.size()).isEqualTo(40);
    assertThat(before.reason()).isEqualTo("point 199 of 200");
    Decision decision = feed(controller, 40, 1, 30, n -> 20.0 * Math.min(n, 12), 1);
    assertThat(decision.size()).isEqualTo(12);
  }

  /** Half of the completions are within the bound, everywhere. */
  @Test
  void scgSetsThePoolToTheKneeOfTheGoodput() {
    Decision decision =
        feed(new ScgController(), 64, 1, 41, n -> 100.0 * (80 * (n - 1) - (n - 1) * (n - 1)), 200);
    // Two periods: the knee of the parabola is in the middle of 1..41, and it rises by a third.
    assertThat(decision.size()).isEqualTo(21);
    assertThat(decision.numbers().get("goodput")).isCloseTo(1000 * 50 * 1200.0, within(1.0));
  }

  @Test
  void dcmSetsThePoolToThePeakAndNotBeyondTwiceWhatItSaw() {
    DcmController.Law law = new DcmController.Law(0.010, 0.001, 0.000_01);
    assertThat(feed(new DcmController(), 64, 1, 41, law::throughput, 45).size()).isEqualTo(30);
    assertThat(feed(new DcmController(), 64, 1, 9, law::throughput, 45).size()).isEqualTo(18);
  }

  /** 10 * 1.5 + 1; below the cap nothing is asked for. */
  @Test
  void aConcurrencyAtItsCapGrowsByAHalf() {
    for (Controller controller :
        List.of(new ScgController(), new SctController(), new DcmController())) {
      int period =
          controller.window().toMillis() == 1000
              ? 15
              : controller.window().toMillis() == 100 ? 100 : 200;
      Decision decision = feed(controller, 10, 10, 10, n -> 100, period);
      assertThat(decision.size()).as(controller.name()).isEqualTo(16);
      assertThat(decision.reason()).contains("at its cap");
    }
    assertThat(feed(new ScgController(), 10, 4, 4, n -> 100, 100).size()).isEqualTo(10);
  }

  /** 20 n - n^2 / 8 over 1..21: (20 - n / 4) 20 = 345 at 11, with 204.9, and it rises to 364.9. */
  @Test
  void scgGoesOnWhereTheCurveStillRisesAndTheConcurrencySitsAtItsCap() {
    IntToDoubleFunction rising = n -> 20.0 * n - n * n / 8.0;
    ScgController controller = new ScgController();
    assertThat(feed(controller, 40, 1, 21, rising, 100).size()).as("below the cap").isEqualTo(11);
    Decision decision = feed(controller, 10, 10, 10, rising, 100);
    assertThat(decision.size()).isEqualTo(16);
    assertThat(decision.reason()).contains("at its cap");
  }
}
