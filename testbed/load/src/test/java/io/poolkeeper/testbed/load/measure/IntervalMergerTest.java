package io.poolkeeper.testbed.load.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.load.Loads;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.http.Exchange;
import io.poolkeeper.testbed.load.measure.LoopRecorder.Part;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class IntervalMergerTest {

  private static final long START = 77;
  private static final long SECOND = Intervals.LENGTH;

  private final LoadDescription load =
      Loads.of(
          """
          clients: {kind: closed, phases: [{users: 3, for: 1s}, {users: 5, for: 1s}]}
          http: {a: /}
          """);
  private final IntervalMerger merger = new IntervalMerger(load, 2, START);

  private Part part(int index, long end, int errors, long cpu, boolean last) {
    Tally tally = new Tally(1, SECOND);
    for (int i = 0; i < errors; i++) {
      Exchange exchange = new Exchange(0);
      exchange.begin(load.requests().get(0), 0, 0);
      exchange.failed("timeout", 1);
      tally.count(exchange);
    }
    return new Part(index, START + index * SECOND, START + end, tally, cpu, 10, false, last);
  }

  @Test
  void anIntervalIsCompleteWithThePartsOfAllThreads() {
    assertThat(merger.add(part(0, SECOND, 1, SECOND / 4, false))).isEmpty();
    assertThat(merger.add(part(1, SECOND * 2, 2, 0, false))).as("one thread is ahead").isEmpty();
    Interval first = merger.add(part(0, SECOND, 4, SECOND / 2, false)).orElseThrow();

    assertThat(first.tally().errorsByKind()).containsExactly(java.util.Map.entry("timeout", 5L));
    assertThat(first.busiest()).isEqualTo(0.5);
    assertThat(first.held()).isEqualTo(20);
    assertThat(first.phase()).isZero();
    assertThat(first.users()).isEqualTo(3);
    assertThat(merger.add(part(1, SECOND * 2, 0, 0, false)))
        .hasValueSatisfying(second -> assertThat(second.users()).isEqualTo(5));
    assertThat(merger.finished()).isFalse();
  }

  @Test
  void aThreadThatHasEndedIsNotWaitedFor() {
    merger.add(part(0, SECOND, 0, 0, false));
    merger.add(part(0, SECOND, 0, 0, false));
    merger.add(part(1, SECOND * 2 + 5, 1, 0, true));
    Optional<Interval> second = merger.add(part(1, SECOND * 3, 1, 0, false));

    assertThat(second)
        .hasValueSatisfying(
            interval -> {
              assertThat(interval.end()).as("the longest part").isEqualTo(START + SECOND * 3);
              assertThat(interval.users()).as("at the end of the load").isEqualTo(5);
            });
    assertThat(merger.finished()).isFalse();

    Interval third = merger.add(part(2, SECOND * 3 + 7, 2, 0, true)).orElseThrow();
    assertThat(third.users()).as("after the end of the load").isZero();
    assertThat(third.tally().errors()).isEqualTo(2);
    assertThat(merger.finished()).isTrue();
  }
}
