package io.poolkeeper.testbed.controllers.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SampledPolicyTest {

  private record Sample(long start, long time, int inFlight, boolean dropped) {}

  private static final class Notebook implements SampleRule {
    private final List<Sample> samples = new ArrayList<>();

    @Override
    public String name() {
      return "notebook";
    }

    @Override
    public int limit() {
      return 7 + samples.size();
    }

    @Override
    public void sample(long start, long time, int inFlight, boolean dropped) {
      samples.add(new Sample(start, time, inFlight, dropped));
    }

    @Override
    public String reason() {
      return samples.size() + " samples";
    }
  }

  private record Pool(long now, int size, int busy, int queued) implements PoolState {
    @Override
    public long begun() {
      return 0;
    }

    @Override
    public double cpu() {
      return Double.NaN;
    }
  }

  private final Notebook rule = new Notebook();
  private final SampledPolicy policy = new SampledPolicy(rule);

  @Test
  void aTaskIsASampleOfItsServiceTime() {
    assertThat(policy.initialSize()).isEqualTo(7);
    assertThat(policy.reason()).isEmpty();
    assertThat(policy.ended(new Pool(100, 7, 3, 0), 40, 30, Outcome.COMPLETED)).isEqualTo(8);
    assertThat(rule.samples).containsExactly(new Sample(70, 30, 4, false));
    assertThat(policy.reason()).isEqualTo("1 samples");
  }

  @Test
  void aWorkerThatTookTheNextTaskIsCountedOnce() {
    policy.ended(new Pool(100, 7, 7, 5), 40, 30, Outcome.COMPLETED);
    policy.ended(new Pool(100, 7, 9, 5), 40, 30, Outcome.COMPLETED);
    assertThat(rule.samples).extracting(Sample::inFlight).containsExactly(7, 9);
  }

  @Test
  void aTaskThatNeverRanIsDroppedAfterItsWait() {
    policy.ended(new Pool(100, 7, 7, 5), 40, 0, Outcome.DROPPED);
    assertThat(rule.samples).containsExactly(new Sample(60, 40, 7, true));
  }

  @Test
  void aTaskThatThrewSaysNothing() {
    assertThat(policy.ended(new Pool(100, 9, 7, 5), 40, 30, Outcome.FAILED)).isEqualTo(9);
    assertThat(rule.samples).isEmpty();
  }
}
