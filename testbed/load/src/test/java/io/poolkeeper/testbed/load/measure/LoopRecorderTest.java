package io.poolkeeper.testbed.load.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.poolkeeper.testbed.load.Loads;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.http.Exchange;
import io.poolkeeper.testbed.load.http.Sample;
import io.poolkeeper.testbed.load.measure.LoopRecorder.Part;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoopRecorderTest {

  private static final long START = 77;
  private static final long SECOND = Intervals.LENGTH;

  private final LoadDescription load =
      Loads.of("{clients: {kind: closed, users: 1}, for: 2s, http: {a: /}}");
  private final MeasurementStart beginning = new MeasurementStart();
  private final List<Part> parts = new ArrayList<>();
  private final LoopRecorder recorder = new LoopRecorder(load, beginning, parts::add, null);

  private void answered(long at) {
    recorder.ended(exchange(at));
  }

  private Exchange exchange(long end) {
    Exchange exchange = new Exchange(0);
    exchange.begin(load.requests().get(0), end - 10, end - 10);
    exchange.answered(200, end);
    return exchange;
  }

  private static String text(Part part) {
    return "%s %d: %d to %d, %d requests%s"
        .formatted(
            part.warmUp() ? "warm-up" : "measured",
            part.index(),
            part.start() - START,
            part.end() - START,
            part.tally().requests(),
            part.last() ? ", last" : "");
  }

  @Test
  void anAnswerCountsWhereItsLastByteIsRead() {
    recorder.begin(START, time -> 1);
    answered(START + SECOND + 5);
    assertThat(recorder.intervalEnd()).isEqualTo(START + 2 * SECOND);
    long border = START + SECOND + 100;
    beginning.set(border);
    assertThat(recorder.intervalEnd()).isEqualTo(border);
    answered(border - 1);
    answered(border);
    answered(border + SECOND);
    recorder.finish(border + 2 * SECOND + 9, 1);

    assertThat(parts)
        .extracting(LoopRecorderTest::text)
        .containsExactly(
            "warm-up 0: 0 to 1000000000, 0 requests",
            "warm-up 1: 1000000000 to 1000000100, 2 requests, last",
            "measured 0: 1000000100 to 2000000100, 1 requests",
            "measured 1: 2000000100 to 3000000109, 1 requests, last");
    assertThat(parts.get(3).tally().unfinished()).isEqualTo(1);
  }

  @Test
  void aThreadThatWasHeldUpCutsWhereTheOthersDo() {
    recorder.begin(START, time -> 1);
    beginning.set(START + 100);
    recorder.advance(START + 2 * SECOND);

    assertThat(parts)
        .extracting(LoopRecorderTest::text)
        .containsExactly(
            "warm-up 0: 0 to 100, 0 requests, last", "measured 0: 100 to 1000000100, 0 requests");
  }

  @Test
  void withoutAWarmUpAllIsMeasured() {
    beginning.set(START);
    recorder.begin(START, time -> 1);
    answered(START + 20);
    recorder.finish(START + 30, 0);

    assertThat(parts)
        .extracting(LoopRecorderTest::text)
        .containsExactly("measured 0: 0 to 30, 1 requests, last");
  }

  @Test
  void aResponseTimeReachesFromTheIntendedStartToTheLastByte() {
    List<Sample> samples = new ArrayList<>();
    LoopRecorder sampling =
        new LoopRecorder(load, beginning, parts::add, (batch, warmUp) -> samples.addAll(batch));
    beginning.set(START);
    sampling.begin(START, time -> 1);
    Exchange exchange = new Exchange(0);
    exchange.begin(load.requests().get(0), START, START + SECOND / 10);
    exchange.received(7, START + SECOND / 4);
    exchange.received(7, START + SECOND / 2);
    exchange.answered(200, START + SECOND / 2);
    sampling.ended(exchange);
    sampling.finish(START + SECOND - 1, 0);

    assertThat(samples)
        .extracting(Sample::start, Sample::latency, Sample::responseTime)
        .containsExactly(tuple(START, SECOND / 4, SECOND / 2));
    Histogram times = parts.get(0).tally().responses();
    assertThat(times.getValueAtPercentile(50)).isBetween(SECOND / 2, SECOND / 2 + SECOND / 2000);
  }

  @Test
  void samplesLieOnTheSideOnWhichTheyAreCounted() {
    List<String> batches = new ArrayList<>();
    LoopRecorder sampling =
        new LoopRecorder(
            load,
            beginning,
            parts::add,
            (batch, warmUp) -> batches.add((warmUp ? "warm-up " : "measured ") + batch.size()));
    sampling.begin(START, time -> 1);
    sampling.ended(exchange(START + 20));
    sampling.ended(exchange(START + 21));
    // Whoever announces the border was held up, until after it.
    beginning.set(START + 10);
    sampling.ended(exchange(START + 30));
    sampling.finish(START + 40, 0);

    assertThat(parts)
        .extracting(LoopRecorderTest::text)
        .containsExactly(
            "warm-up 0: 0 to 10, 2 requests, last", "measured 0: 10 to 40, 1 requests, last");
    assertThat(batches).containsExactly("warm-up 2", "measured 1");
  }
}
