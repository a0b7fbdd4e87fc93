package io.poolkeeper.testbed.controllers.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.poolkeeper.testbed.controllers.FakePool;
import io.poolkeeper.testbed.controllers.Handoff;
import io.poolkeeper.testbed.controllers.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Both meanings of watermark, and the static pools. */
final class WatermarksTest {

  @Test
  void theQueueLongerThanThePoolAddsOneUpToTheHighWatermark() {
    Watermark policy = new Watermark(2, 3);
    FakePool pool = new FakePool(2);
    assertThat(policy.arrived(pool.with(4))).as("as long as the pool").isEqualTo(2);
    assertThat(policy.arrived(pool.with(5))).isEqualTo(3);
    assertThat(policy.reason()).isEqualTo("3 tasks wait, more than the 2 workers");
    assertThat(policy.arrived(pool.follow(3).with(20))).as("the high watermark").isEqualTo(3);
    assertThat(policy.ended(pool.with(0).after(99_999), 0, 1, Outcome.COMPLETED)).isEqualTo(3);
  }

  @Test
  void watermarksAreOrdered() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Watermark(5, 4))
        .withMessage("high must be >= low, but 4 < 5");
  }

  @Test
  void theJdkFillsTheQueueFirst() {
    CoreAndMaximum policy =
        new CoreAndMaximum(new CoreAndMaximum.Settings(2, 4, 3, Duration.ofSeconds(8)));
    FakePool pool = new FakePool(2);
    assertThat(policy.arrived(pool.with(5))).as("three wait, there is room").isEqualTo(2);
    assertThat(policy.arrived(pool.with(6))).isEqualTo(3);
    assertThat(policy.arrived(pool.follow(4).with(50))).as("the maximum").isEqualTo(4);
    policy.ended(pool.with(0), 0, 1, Outcome.COMPLETED);
    assertThat(policy.elapsed(pool.after(7_999))).isEqualTo(4);
    assertThat(policy.elapsed(pool.after(1))).as("down to the core").isEqualTo(2);
  }

  @Test
  void theJdkNeverGrowsWithAQueueWithoutBound() {
    CoreAndMaximum policy =
        new CoreAndMaximum(
            new CoreAndMaximum.Settings(2, 64, Integer.MAX_VALUE, Duration.ofSeconds(60)));
    assertThat(policy.arrived(new FakePool(2).with(1_000_000))).isEqualTo(2);
  }

  @Test
  void theCachedPoolGrowsWithEveryTaskThatFindsNoIdleWorker() {
    CoreAndMaximum policy = new CoreAndMaximum(CoreAndMaximum.Settings.CACHED);
    FakePool pool = new FakePool(2);
    assertThat(policy.arrived(pool.with(2))).isEqualTo(2);
    assertThat(policy.arrived(pool.with(3))).isEqualTo(3);
  }

  @Test
  void staticPoolsSayHowTasksReachWorkers() {
    StaticPool chang = new StaticPool("static-handoff", 7, Handoff.DIRECT);
    FakePool pool = new FakePool(7).with(99);
    assertThat(chang.initialSize()).isEqualTo(7);
    assertThat(chang.arrived(pool)).isEqualTo(7);
    assertThat(chang.ended(pool, 1, 1, Outcome.COMPLETED)).isEqualTo(7);
    assertThat(chang.handoff()).isEqualTo(Handoff.DIRECT);
    assertThat(new StaticPool("static-queue", 7, Handoff.THROUGH_QUEUE).handoff())
        .isEqualTo(Handoff.THROUGH_QUEUE);
  }
}
