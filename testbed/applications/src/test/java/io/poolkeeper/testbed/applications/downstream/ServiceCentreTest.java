package io.poolkeeper.testbed.applications.downstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The queue of the downstream server, in virtual time. */
final class ServiceCentreTest {

  private static final long MILLISECOND = 1_000_000;

  private record Due(long at, Runnable action) {}

  private final PriorityQueue<Due> timers =
      new PriorityQueue<>(Comparator.comparingLong((Due due) -> due.at()));
  private long now;

  private ServiceCentre centre(Profile profile) {
    return new ServiceCentre(profile, (nanos, action) -> timers.add(new Due(now + nanos, action)));
  }

  private void runUntil(long end) {
    while (!timers.isEmpty() && timers.element().at() <= end) {
      Due due = timers.remove();
      now = due.at();
      due.action().run();
    }
    now = end;
  }

  private void keepBusy(ServiceCentre centre, int clients, long[] answers) {
    for (int i = 0; i < clients; i++) {
      send(centre, answers);
    }
  }

  private void send(ServiceCentre centre, long[] answers) {
    centre.accept(
        () -> {
          answers[0]++;
          send(centre, answers);
        });
  }

  /** Throughput is capacity / (latency × (1 + degradation × (clients − capacity) / capacity)). */
  @ParameterizedTest
  @CsvSource({"8,400", "16,800", "32,727", "64,615", "200,372"})
  void throughputFallsBeyondTheCapacity(int clients, int perSecond) {
    ServiceCentre centre = centre(new Profile(20 * MILLISECOND, 16, 0.1));
    long[] answers = {0};
    keepBusy(centre, clients, answers);
    runUntil(10_000 * MILLISECOND);
    assertThat(answers[0] / 10.0).isBetween(perSecond * 0.99, perSecond * 1.01);
  }

  @Test
  void withoutDegradationItKeepsItsThroughput() {
    ServiceCentre centre = centre(new Profile(20 * MILLISECOND, 16, 0));
    long[] answers = {0};
    keepBusy(centre, 200, answers);
    runUntil(10_000 * MILLISECOND);
    assertThat(answers[0]).isEqualTo(8_000);
  }

  @Test
  void answersInTheOrderOfArrival() {
    ServiceCentre centre = centre(new Profile(MILLISECOND, 1, 0));
    List<String> answers = new ArrayList<>();
    for (String name : List.of("first", "second", "third")) {
      centre.accept(() -> answers.add(name));
    }
    assertThat(centre.present()).isEqualTo(3);
    runUntil(2 * MILLISECOND);
    assertThat(answers).containsExactly("first", "second");
    assertThat(centre.present()).isEqualTo(1);
  }

  @Test
  void aNewProfileHoldsForWhatBeginsFromThenOn() {
    ServiceCentre centre = centre(new Profile(10 * MILLISECOND, 1, 0));
    List<Long> answered = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      centre.accept(() -> answered.add(now / MILLISECOND));
    }
    runUntil(5 * MILLISECOND);
    centre.change(new Profile(100 * MILLISECOND, 2, 0));
    runUntil(1_000 * MILLISECOND);
    // The second began at once, in the new place; the third when the first had ended.
    assertThat(answered).containsExactly(10L, 105L, 110L, 205L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "latency     | 20     | latency must be a number and a unit, such as 20ms, but is '20'",
        "latency     | 0ms    | latency must be above 0 and at most 3600s, but is 0.0s",
        "latency     | 2000000000s | latency must be above 0 and at most 3600s",
        "capacity    | 0      | capacity must be >= 1, but is 0",
        "capacity    | many   | capacity must be a whole number, but is 'many'",
        "degradation | -1     | degradation must be >= 0, but is -1.0",
        "degradation | NaN    | degradation must be >= 0, but is NaN",
        "degradation | steep  | degradation must be a number, but is 'steep'",
        "latencyy    | 20ms   | unknown setting 'latencyy'",
      })
  void aWrongSettingIsNamed(String setting, String value, String message) {
    Profile profile = new Profile(MILLISECOND, 1, 0);
    assertThatThrownBy(() -> profile.with(Map.of(setting, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
