package io.poolkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.spring.pools.Pools;
import io.poolkeeper.testkit.Conditions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** Answers of the endpoint on a pool that decides. */
@Timeout(300)
final class PoolkeeperEndpointTest {

  private static final String TASKS = "applicationTaskExecutor";

  @Test
  void theLearnedCurveIsShownOncePointsOfItAreKnown() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                PoolkeeperAutoConfiguration.class, TaskExecutionAutoConfiguration.class))
        .withPropertyValues("poolkeeper.console.port=0")
        .run(
            context -> {
              PoolkeeperEndpoint endpoint =
                  new PoolkeeperEndpoint(
                      context.getBean(Pools.class), context.getBean(PoolWatcher.class).monitor());
              ThreadPoolTaskExecutor executor = context.getBean(ThreadPoolTaskExecutor.class);
              Conditions.await(
                  "a curve",
                  () -> {
                    for (int i = 0; i < 10; i++) {
                      executor.execute(() -> {});
                    }
                    return String.valueOf(endpoint.pool(TASKS)).contains("curve=[{");
                  });
              assertThat(String.valueOf(endpoint.pool(TASKS))).contains("mean=", "sd=");
              assertThat(endpoint.pool("other")).isNull();
              assertThat(endpoint.pools()).containsOnlyKeys("pools");
              assertThat(endpoint.change("other", null, null, null, null).getBody())
                  .isEqualTo(
                      Map.of(
                          "error",
                          "no pool 'other', only [" + TASKS + "]: did you mean '" + TASKS + "'?"));
              assertThat(endpoint.change(TASKS, null, null, null, null).getBody())
                  .isEqualTo(Map.of("error", "nothing to change: give mode, min, max or size"));
            });
  }
}
