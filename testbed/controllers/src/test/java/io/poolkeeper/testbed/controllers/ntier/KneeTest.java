package io.poolkeeper.testbed.controllers.ntier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.controllers.ntier.Knee.Polynomial;
import io.poolkeeper.testbed.controllers.ntier.Scatter.Group;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Polynomials are exact on polynomials, so the knee has a closed form. */
final class KneeTest {

  private static List<Group> groups(int first, int last, DoubleUnaryOperator curve) {
    return IntStream.rangeClosed(first, last)
        .mapToObj(n -> new Group(n, curve.applyAsDouble(n), 5))
        .toList();
  }

  /**
   * {@code 1 - (1 - x)^d} over 1..101 has the slope 1 where {@code d (1 - x)^(d - 1) = 1}: for d =
   * 5 at x = 1 - 0.2^(1/4) = 0.33126, for 6 at 0.30117, for 7 at 0.27698, for 8 at 0.25700.
   */
  @ParameterizedTest
  @ValueSource(ints = {5, 6, 7, 8})
  void findsTheKneeOfAPolynomialOfItsDegree(int degree) {
    List<Group> groups =
        groups(1, 101, n -> 200 + 1000 * (1 - Math.pow(1 - (n - 1) / 100, degree)));
    Knee knee = Knee.of(groups).orElseThrow();
    int[] expected = {34, 31, 29, 27};
    assertThat(knee.degree()).isEqualTo(degree);
    assertThat(knee.concurrency()).isEqualTo(expected[degree - 5]);
    double x = (knee.concurrency() - 1) / 100.0;
    assertThat(knee.distance()).isCloseTo(1 - Math.pow(1 - x, degree) - x, within(1e-9));
  }

  /** 1 - (1 - x)^2: the slope is 1 at a half, whatever the degree that is fitted. */
  @Test
  void aParabolaHasItsKneeInTheMiddle() {
    List<Group> groups = groups(10, 50, n -> 3 * (80 * (n - 10) - (n - 10) * (n - 10)));
    Knee knee = Knee.of(groups).orElseThrow();
    assertThat(knee.concurrency()).isEqualTo(30);
    assertThat(knee.distance()).isCloseTo(0.25, within(1e-9));
  }

  /** Normalised from 0 at 1 and 10 to 1 at the peak: 8.25 * (2 / 15), the knee before the peak. */
  @Test
  void theKneeOfACurveWithAPeakLiesBeforeIt() {
    List<Group> groups = groups(0, 40, n -> 40 * n - n * n);
    // y - x = (40 n - n^2) / 400 - n / 40 is largest at n = 15.
    assertThat(Knee.of(groups).orElseThrow().concurrency()).isEqualTo(15);
  }

  @Test
  void largeNeighbouringConcurrenciesAreFittedExactly() {
    DoubleUnaryOperator curve = n -> 5000 - Math.pow((n - 995) / 10, 6);
    Polynomial polynomial = Polynomial.fit(groups(980, 1000, curve), 6).orElseThrow();
    assertThat(polynomial.at(987.5)).isCloseTo(curve.applyAsDouble(987.5), within(1e-6));
  }

  @Test
  void aGroupWeighsAsManyPointsAsItHas() {
    List<Group> twice = List.of(new Group(1, 4, 3), new Group(1, 8, 1));
    assertThat(LeastSquares.solve(new double[][] {{Math.sqrt(3)}, {1}}, rates(twice)).orElseThrow())
        .containsExactly(new double[] {5}, within(1e-12));
  }

  private static double[] rates(List<Group> groups) {
    return groups.stream().mapToDouble(each -> Math.sqrt(each.points()) * each.rate()).toArray();
  }

  @Test
  void aFlatCurveOrTooFewConcurrenciesHaveNoKnee() {
    assertThat(Knee.of(groups(1, 6, n -> n))).as("six for degree 5 leave nothing").isPresent();
    assertThat(Knee.of(groups(1, 5, n -> n))).isEmpty();
    assertThat(Knee.of(groups(1, 20, n -> 0))).isEmpty();
    assertThat(Knee.of(List.of())).isEmpty();
  }

  @Test
  void dependentColumnsHaveNoSolution() {
    assertThat(LeastSquares.solve(new double[][] {{1, 2}, {2, 4}, {3, 6}}, new double[] {1, 2, 3}))
        .isEmpty();
    assertThat(LeastSquares.solve(new double[][] {{1, 2}}, new double[] {1})).isEmpty();
  }
}
