package io.poolkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.poolkeeper.Bounds;
import io.poolkeeper.spring.pools.Pools;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

/** Settings of a pool that has several names, or several beans. */
final class NamesOfBeansTest {

  private final HikariDataSource hikari = new HikariDataSource();

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PoolkeeperAutoConfiguration.class))
          .withBean("orders", DataSource.class, () -> hikari);

  @Test
  void settingsByAnotherNameOfABeanHold() {
    try (Messages messages = new Messages()) {
      runner
          .withInitializer(
              context -> ((GenericApplicationContext) context).registerAlias("orders", "mainDb"))
          .withPropertyValues("poolkeeper.pools.main-db.max=7")
          .run(
              context ->
                  assertThat(context.getBean(Pools.class).find("orders").orElseThrow().bounds())
                      .isEqualTo(new Bounds(1, 7)));
      assertThat(messages.all()).noneMatch(message -> message.contains("main-db"));
    }
  }

  @Test
  void settingsOfASecondBeanOfAPoolAreNoSilentMistake() {
    try (Messages messages = new Messages()) {
      runner
          .withBean("lazy", DataSource.class, () -> new LazyConnectionDataSourceProxy(hikari))
          .withPropertyValues("poolkeeper.pools.lazy.mode=frozen")
          .run(
              context ->
                  assertThat(context.getBean(Pools.class).names()).containsExactly("orders"));
      assertThat(messages.all())
          .contains(
              "poolkeeper.pools.lazy has no effect: its connections are those of data source"
                  + " 'orders', whose properties hold");
    }
  }
}
