package io.tidepool.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidepool.testbed.clients.Clients;
import io.tidepool.testbed.clients.Phase;
import io.tidepool.testbed.load.description.Timeline;
import io.tidepool.testbed.load.measure.Intervals;
import io.tidepool.testbed.load.traffic.Share;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class TimelineTest {

  private final Timeline timeline =
      new Timeline(
          Clients.closed(List.of(new Phase(10e-9, 5), new Phase(3e-9, 0), new Phase(2e-9, 7))));

  @Test
  void aPhaseHoldsFromItsFirstNanosecondToTheNextPhase() {
    assertThat(new int[] {timeline.users(0), timeline.users(9), timeline.users(10)})
        .containsExactly(5, 5, 0);
    assertThat(new int[] {timeline.users(12), timeline.users(13), timeline.users(14)})
        .containsExactly(0, 7, 7);
    assertThat(timeline.users(15)).isZero();
    assertThat(timeline.phase(15)).isEqualTo(2);
    assertThat(timeline.nextChange(0)).isEqualTo(10);
    assertThat(timeline.nextChange(10)).isEqualTo(13);
    assertThat(timeline.nextChange(14)).isEqualTo(15);
    assertThat(timeline.nextChange(15)).isEqualTo(Long.MAX_VALUE);
  }

  /** No interval is shorter than a second, and one of them holds the end of the load. */
  @Property
  void intervalsAreWholeSecondsAroundTheEndOfTheLoad(
      @ForAll @LongRange(min = 1, max = 7L << 30) long total) {
    Intervals intervals = new Intervals(total);
    List<Long> ends = new ArrayList<>();
    for (long start = 0; start < total; start = ends.get(ends.size() - 1)) {
      ends.add(intervals.end(start));
    }

    long last = ends.get(ends.size() - 1);
    assertThat(last).isEqualTo(total + Intervals.LENGTH);
    assertThat(intervals.end(last)).isEqualTo(last + Intervals.LENGTH);
    for (int i = 0; i < ends.size() - 1; i++) {
      assertThat(ends.get(i)).isEqualTo((i + 1) * Intervals.LENGTH);
    }
  }

  @Property
  void everyUserBelongsToOneThread(
      @ForAll @IntRange(max = 1000) int users, @ForAll @IntRange(min = 1, max = 9) int threads) {
    int sum = 0;
    for (int thread = 0; thread < threads; thread++) {
      Share share = new Share(thread, threads);
      long counted = java.util.stream.IntStream.range(0, users).filter(share::has).count();
      assertThat(share.of(users)).isEqualTo((int) counted);
      sum += share.of(users);
    }
    assertThat(sum).isEqualTo(users);
  }
}
