package io.poolkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.console.PoolMonitor;
import io.poolkeeper.spring.pools.Pools;
import io.poolkeeper.spring.pools.TunedPool;
import io.poolkeeper.spring.settings.InvalidSettingException;
import io.poolkeeper.testkit.Conditions;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.management.ObjectName;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** Conditions of the auto-configuration, in contexts without a web server. */
final class PoolkeeperAutoConfigurationTest {

  private static final String TASKS = "applicationTaskExecutor";

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PoolkeeperAutoConfiguration.class, TaskExecutionAutoConfiguration.class));

  private static HikariDataSource hikari() {
    HikariDataSource dataSource = new HikariDataSource();
    dataSource.setJdbcUrl("jdbc:h2:mem:conditions");
    return dataSource;
  }

  private ApplicationContextRunner with(Supplier<DataSource> dataSource) {
    return runner.withBean("orders", DataSource.class, dataSource);
  }

  @Test
  void everyPoolOfTheContextIsTuned() {
    with(PoolkeeperAutoConfigurationTest::hikari)
        .run(
            context -> {
              Pools pools = context.getBean(Pools.class);
              assertThat(pools.names()).containsExactly(TASKS, "orders");
              assertThat(pools.all())
                  .allSatisfy(
                      pool -> assertThat(pool.loop().orElseThrow().mode()).isEqualTo(Mode.ACTIVE));
              assertThat(pool(pools, TASKS).bounds().maximum()).isEqualTo(256);
              assertThat(pool(pools, "orders").bounds().maximum()).isEqualTo(10);
            });
  }

  @Test
  void logTellsWhatIsTuned() {
    try (Messages messages = new Messages()) {
      with(PoolkeeperAutoConfigurationTest::hikari)
          .withPropertyValues("poolkeeper.pools.orders.mode=dry-run")
          .run(context -> assertThat(context).hasNotFailed());
      assertThat(messages.all())
          .contains(
              "tuned are applicationTaskExecutor (1 to 256 threads, active); orders (1 to 10"
                  + " connections, dry-run)");
    }
    try (Messages messages = new Messages()) {
      runner
          .withPropertyValues("poolkeeper.pools.application-task-executor.enabled=false")
          .run(context -> assertThat(context).hasNotFailed());
      assertThat(messages.all())
          .anyMatch(message -> message.startsWith("nothing to tune:"))
          .noneMatch(message -> message.contains("application-task-executor"));
    }
  }

  @Test
  void executorsThatAreLeftAloneAreNamedAndTheirPropertiesAreNoSilentMistake() {
    try (Messages messages = new Messages()) {
      runner
          .withBean("mail", SimpleAsyncTaskExecutor.class)
          .withBean("clock", SimpleAsyncTaskScheduler.class)
          .withBean("off", SimpleAsyncTaskExecutor.class)
          .withPropertyValues("poolkeeper.pools.mail.max=5", "poolkeeper.pools.off.enabled=false")
          .run(context -> assertThat(context.getBean(Pools.class).names()).isEmpty());
      assertThat(messages.all())
          .contains(
              "poolkeeper.pools.mail has no effect: executor 'mail' is not tuned: it is a"
                  + " org.springframework.core.task.SimpleAsyncTaskExecutor, and only a"
                  + " ThreadPoolTaskExecutor can be tuned",
              "executor 'clock' is not tuned: it is a"
                  + " org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler, and only"
                  + " a ThreadPoolTaskExecutor can be tuned")
          .noneMatch(message -> message.contains("'off'"));
    }
  }

  @Test
  void beanWithTheNameOfTheWebServersPoolIsLeftAlone() {
    try (Messages messages = new Messages()) {
      runner
          .withBean("web", DataSource.class, PoolkeeperAutoConfigurationTest::hikari)
          .run(context -> assertThat(context.getBean(Pools.class).names()).containsExactly(TASKS));
      assertThat(messages.all())
          .contains(
              "data source 'web' is not tuned: 'web' is the name of the web server's pool; give the"
                  + " bean another name");
    }
  }

  @Test
  void tokenThatIsTooShortIsNamedAndNotTold() {
    runner
        .withPropertyValues("poolkeeper.console.port=0", "poolkeeper.console.token=secret")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageStartingWith("poolkeeper.console.token = (a secret): token must be")
                    .hasMessageContaining("but has a length of 6")
                    .hasMessageEndingWith("without the property one is drawn at random"));
  }

  private static TunedPool pool(Pools pools, String name) {
    return pools.find(name).orElseThrow();
  }

  @Test
  void beansOfTheTypesThatMayBeMissing() {
    for (FilteredClassLoader without :
        new FilteredClassLoader[] {
          new FilteredClassLoader(HikariDataSource.class),
          new FilteredClassLoader(MeterRegistry.class),
          new FilteredClassLoader(Endpoint.class),
          new FilteredClassLoader(PoolMonitor.class)
        }) {
      runner
          .withClassLoader(without)
          .run(context -> assertThat(context.getBean(Pools.class).names()).containsExactly(TASKS));
    }
  }

  @Test
  void onePropertySwitchesAllOffInAnySpelling() {
    for (String no : new String[] {"false", "off", "NO", "0"}) {
      runner
          .withPropertyValues("poolkeeper.enabled=" + no)
          .run(context -> assertThat(context).doesNotHaveBean(Pools.class).hasBean(TASKS));
    }
    for (String yes : new String[] {"true", "yes", "1"}) {
      runner
          .withPropertyValues("poolkeeper.enabled=" + yes)
          .run(context -> assertThat(context).hasSingleBean(Pools.class));
    }
    runner
        .withPropertyValues("poolkeeper.enabled=flase")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("Failed to bind properties under 'poolkeeper.enabled'")
                    .hasStackTraceContaining("flase"));
  }

  @Test
  void settingsOfOnePoolAreFoundByTheNameOfItsBean() {
    with(PoolkeeperAutoConfigurationTest::hikari)
        .withPropertyValues(
            "poolkeeper.mode=dry-run",
            "poolkeeper.pools.orders.mode=frozen",
            "poolkeeper.pools.orders.min=3",
            "poolkeeper.pools.orders.max=30",
            "poolkeeper.pools.application-task-executor.enabled=false")
        .run(
            context -> {
              Pools pools = context.getBean(Pools.class);
              assertThat(pools.names()).containsExactly("orders");
              assertThat(pool(pools, "orders").loop().orElseThrow().mode()).isEqualTo(Mode.FROZEN);
              assertThat(pool(pools, "orders").bounds()).isEqualTo(new Bounds(3, 30));
            });
  }

  @Test
  void invalidSettingsStopTheStart() {
    runner
        .withPropertyValues("poolkeeper.pools.orders.objective=trouhgput")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("nearest valid value: throughput"));
  }

  @Test
  void unknownPropertiesAreToldAndTheServiceRuns() {
    try (Messages messages = new Messages()) {
      runner
          .withPropertyValues(
              "poolkeeper.mdoe=frozen", "poolkeeper.pools.applicationTaskExectuor.max=3")
          .run(context -> assertThat(context.getBean(Pools.class).names()).containsExactly(TASKS));
      assertThat(messages.all())
          .anyMatch(text -> text.contains("did you mean poolkeeper.mode?"))
          .anyMatch(text -> text.contains("did you mean poolkeeper.pools." + TASKS + ".max?"));
    }
  }

  @Test
  void propertiesOfAWebServerThatIsNotThereAreTold() {
    try (Messages messages = new Messages()) {
      runner
          .withPropertyValues("poolkeeper.pools.web.max=5")
          .run(context -> assertThat(context.getBean(Pools.class).names()).containsExactly(TASKS));
      assertThat(messages.all())
          .contains(
              "poolkeeper.pools.web has no effect: there is no web server that can be tuned, such"
                  + " as Tomcat or Jetty");
    }
  }

  @Test
  void coordinationWithoutTwoPoolsIsToldAndTheServiceRuns() {
    try (Messages messages = new Messages()) {
      with(PoolkeeperAutoConfigurationTest::hikari)
          .withPropertyValues("poolkeeper.coordinate=true")
          .run(context -> assertThat(context.getBean(Pools.class).names()).hasSize(2));
      assertThat(messages.all())
          .contains(
              "poolkeeper.coordinate has no effect: it needs a tuned web server and one tuned data"
                  + " source, but tuned are [applicationTaskExecutor, orders]");
    }
  }

  @Test
  void boundsBeyondThoseOfTheHostAreToldAndTheNearestOnesHold() {
    try (Messages messages = new Messages()) {
      with(() -> {
            HikariDataSource dataSource = hikari();
            dataSource.setMaximumPoolSize(20);
            return dataSource;
          })
          .withPropertyValues("poolkeeper.pools.orders.max=40")
          .run(
              context ->
                  assertThat(pool(context.getBean(Pools.class), "orders").bounds().maximum())
                      .isEqualTo(20));
      assertThat(messages.all())
          .contains(
              "poolkeeper.pools.orders.max = 40 is above maximum-pool-size = 20: nearest valid"
                  + " value 20 is used");
    }
  }

  @Test
  void aMinimumAboveTheMaximumOfTheHostStopsTheStart() {
    assertStopped("orders", "maximum-pool-size = 10");
    assertStopped(TASKS, "the default of its maximum = 256");
  }

  private void assertStopped(String pool, String maximum) {
    with(PoolkeeperAutoConfigurationTest::hikari)
        .withPropertyValues("poolkeeper.pools." + pool + ".min=300")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("%s.min = 300: must be <= %s", pool, maximum));
  }

  @Test
  void hikariIsFoundBehindAWrapperWhichStays() {
    with(() -> new LazyConnectionDataSourceProxy(hikari()))
        .run(
            context -> {
              assertThat(context.getBean("orders"))
                  .isInstanceOf(LazyConnectionDataSourceProxy.class);
              assertThat(context.getBean(Pools.class).names()).contains("orders");
            });
  }

  @Test
  void oneHikariBehindTwoBeansIsOnePool() {
    HikariDataSource dataSource = hikari();
    with(() -> dataSource)
        .withBean("lazy", DataSource.class, () -> new LazyConnectionDataSourceProxy(dataSource))
        .run(
            context ->
                assertThat(context.getBean(Pools.class).names()).containsExactly(TASKS, "orders"));
  }

  @Test
  void otherDataSourcesAreLeftAlone() {
    try (Messages messages = new Messages()) {
      with(SimpleDriverDataSource::new)
          .run(context -> assertThat(context.getBean(Pools.class).names()).containsExactly(TASKS));
      assertThat(messages.all())
          .anyMatch(
              text ->
                  text.contains("data source 'orders' is not tuned")
                      && text.contains("SimpleDriverDataSource"));
    }
  }

  @Test
  void propertiesOfADataSourceThatCannotBeTunedAreTold() {
    try (Messages messages = new Messages()) {
      with(SimpleDriverDataSource::new)
          .withPropertyValues("poolkeeper.pools.orders.max=40")
          .run(context -> assertThat(context.getBean(Pools.class).names()).containsExactly(TASKS));
      assertThat(messages.all())
          .contains(
              "poolkeeper.pools.orders has no effect: data source 'orders' is not tuned: it is a "
                  + SimpleDriverDataSource.class.getName()
                  + ", and only HikariCP can be tuned");
    }
  }

  @Test
  void aDataSourceThatIsClosedByHandEndsItsLoopAndTheServiceRunsOn() {
    with(PoolkeeperAutoConfigurationTest::hikari)
        .run(
            context -> {
              Pools pools = context.getBean(Pools.class);
              TunedPool orders = pool(pools, "orders");
              AtomicBoolean ended = new AtomicBoolean();
              orders
                  .loop()
                  .orElseThrow()
                  .listen(
                      new ControlListener() {
                        @Override
                        public void onClose(Resizable pool) {
                          ended.set(true);
                        }
                      });
              HikariDataSource dataSource = context.getBean(HikariDataSource.class);
              dataSource.getConnection().close();
              dataSource.close();
              Conditions.await("its loop has ended", ended::get);
              Conditions.await("it has no size", () -> orders.size().isEmpty());
              assertThatThrownBy(() -> orders.resize(3)).hasMessage("pool 'orders' does not run");
              ThreadPoolTaskExecutor tasks = context.getBean(TASKS, ThreadPoolTaskExecutor.class);
              tasks.submit(() -> {}).get();
            });
  }

  @Test
  void mocksDoNotDisturb() {
    DataSource mock =
        (DataSource)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("hashCode")) {
                    return 1;
                  }
                  throw new UnsupportedOperationException(method.getName());
                });
    with(() -> mock)
        .withBean("uninitialized", ThreadPoolTaskExecutor.class, MockExecutor::new)
        .run(context -> assertThat(context.getBean(Pools.class).names()).isEmpty());
  }

  /** A task executor as a mock has it. */
  private static final class MockExecutor extends ThreadPoolTaskExecutor {
    @Override
    public void initialize() {}
  }

  @Test
  void anExecutorWithoutQueueIsLeftAlone() {
    try (Messages messages = new Messages()) {
      runner
          .withPropertyValues(
              "spring.task.execution.pool.queue-capacity=0",
              "poolkeeper.pools.application-task-executor.max=5")
          .run(context -> assertThat(context.getBean(Pools.class).names()).isEmpty());
      assertThat(messages.all())
          .anyMatch(
              text ->
                  text.startsWith("poolkeeper.pools." + TASKS + " has no effect:")
                      && text.contains("its queue holds no task"));
    }
  }

  @Test
  void loopsEndWithTheContext() {
    AtomicBoolean closed = new AtomicBoolean();
    with(PoolkeeperAutoConfigurationTest::hikari)
        .run(
            context ->
                context
                    .getBean(Pools.class)
                    .listen(
                        new ControlListener() {
                          @Override
                          public void onClose(Resizable pool) {
                            if (pool.name().equals(TASKS)) {
                              closed.set(true);
                            }
                          }
                        }));
    Conditions.await("the loop has ended", closed::get);
  }

  @Test
  void poolsAreInJmxWhereSpringBootsBeansAre() {
    runner.run(context -> assertThat(inJmx()).isFalse());
    runner
        .withPropertyValues("spring.jmx.enabled=true")
        .run(context -> assertThat(inJmx()).isTrue());
  }

  private static boolean inJmx() throws Exception {
    return ManagementFactory.getPlatformMBeanServer()
        .isRegistered(new ObjectName("io.poolkeeper:type=Pool,name=" + ObjectName.quote(TASKS)));
  }

  @Test
  void nativeImagesMayReadTheDecoratorOfAnExecutor() {
    RuntimeHints hints = new RuntimeHints();
    new PoolkeeperRuntimeHints().registerHints(hints, null);
    assertThat(hints.reflection().typeHints())
        .singleElement()
        .satisfies(
            type -> {
              assertThat(type.getType()).isEqualTo(TypeReference.of(ThreadPoolTaskExecutor.class));
              assertThat(type.fields()).extracting("name").containsExactly("taskDecorator");
            });
  }

  @Test
  void aStarterForAnotherVersionOfSpringBootSaysSo() {
    assertThat(StarterCheck.message("poolkeeper-spring-boot-starter", 4, "4.1.1")).isNull();
    assertThat(StarterCheck.message("poolkeeper-spring-boot-starter", 4, "3.5.16"))
        .contains("3.5.16", "Use poolkeeper-spring-boot3-starter");
    assertThat(StarterCheck.message("poolkeeper-spring-boot3-starter", 3, "4.1.1"))
        .contains("Use poolkeeper-spring-boot-starter");
  }
}
