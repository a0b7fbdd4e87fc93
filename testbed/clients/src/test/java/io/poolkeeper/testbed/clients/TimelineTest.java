package io.poolkeeper.testbed.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class TimelineTest {

  private static final double NANO = 1e-9;

  private static Timeline timeline(Phase... phases) {
    return new Timeline(Clients.closed(List.of(phases)));
  }

  /** When the number of users changes, and to what, from the beginning to the end. */
  private static List<long[]> changes(Timeline timeline) {
    List<long[]> changes = new ArrayList<>();
    for (long at = 0; at < Long.MAX_VALUE; at = timeline.nextChange(at)) {
      changes.add(new long[] {at, timeline.users(at)});
    }
    return changes;
  }

  @Test
  void aPhaseHoldsFromItsFirstNanosecondToTheNextPhase() {
    Timeline timeline =
        timeline(new Phase(10 * NANO, 5), new Phase(3 * NANO, 0), new Phase(2 * NANO, 7));

    assertThat(changes(timeline))
        .containsExactly(
            new long[] {0, 5}, new long[] {10, 0}, new long[] {13, 7}, new long[] {15, 0});
    assertThat(new int[] {timeline.users(9), timeline.users(12), timeline.users(14)})
        .containsExactly(5, 0, 7);
    assertThat(timeline.phase(15)).isEqualTo(2);
  }

  @Test
  void usersOfARampJoinAndLeaveEvenlySpaced() {
    assertThat(changes(timeline(new Phase(80 * NANO, 2, 6), new Phase(30 * NANO, 3, 0))))
        .containsExactly(
            new long[] {0, 2},
            new long[] {10, 3},
            new long[] {30, 4},
            new long[] {50, 5},
            new long[] {70, 6},
            new long[] {80, 3},
            new long[] {85, 2},
            new long[] {95, 1},
            new long[] {105, 0},
            new long[] {110, 0});
  }

  /** However many or few nanoseconds there are for it. */
  @Property(tries = 300)
  void aRampIsItsLineToTheNearestUser(
      @ForAll @IntRange(max = 2000) int from,
      @ForAll @IntRange(max = 2000) int to,
      @ForAll @LongRange(min = 1, max = 10_000_000_000L) long length,
      @ForAll @IntRange(max = 5) int before) {
    Timeline timeline =
        timeline(new Phase((before + 1) * NANO, 1), new Phase(length * NANO, from, to));
    long start = before + 1L;

    List<long[]> changes = changes(timeline);

    double sum = 0;
    for (int i = 1; i < changes.size() - 1; i++) {
      long at = changes.get(i)[0];
      long users = changes.get(i)[1];
      long next = changes.get(i + 1)[0];
      assertThat(next).isGreaterThan(at);
      sum += (double) users * (next - at);
      // Within half a user of the line, at the change itself and just before the next.
      for (long time : new long[] {at, next - 1}) {
        assertThat(timeline.users(time)).isEqualTo((int) users);
        double line = from + (to - from) * ((double) (time - start) / length);
        double nanosecond = Math.abs(to - from) / (double) length;
        assertThat((double) users).isCloseTo(line, within(0.5 + nanosecond + 1e-6));
      }
    }
    double mean = (from + to) / 2.0;
    double rounding = Math.abs(to - from) / (double) length;
    assertThat(sum / length).isCloseTo(mean, within(rounding + 1e-6));
    assertThat(changes.get(changes.size() - 1)).containsExactly(start + length, 0);
  }

  @Test
  void whoArrivesIsNoUser() {
    Timeline timeline = new Timeline(Clients.open(List.of(new Phase(1, 5, 50), new Phase(2, 1))));

    assertThat(timeline.nextChange(0)).isEqualTo(1_000_000_000);
    assertThat(timeline.users(5)).isZero();
  }

  @Test
  void phasesBelowANanosecondAndForEver() {
    Timeline timeline =
        timeline(
            new Phase(NANO / 4, 3), new Phase(NANO / 8, 4), new Phase(Double.POSITIVE_INFINITY, 2));

    assertThat(timeline.users(0)).isEqualTo(2);
    assertThat(timeline.nextChange(0)).isEqualTo(Long.MAX_VALUE);
  }
}
