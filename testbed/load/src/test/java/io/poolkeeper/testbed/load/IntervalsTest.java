package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.load.measure.Intervals;
import io.poolkeeper.testbed.load.traffic.Share;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class IntervalsTest {

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
