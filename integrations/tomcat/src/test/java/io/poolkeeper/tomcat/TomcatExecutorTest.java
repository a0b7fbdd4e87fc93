package io.poolkeeper.tomcat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.HostKit;
import io.poolkeeper.testkit.HostLoad;
import java.lang.management.ManagementFactory;
import java.util.OptionalInt;
import java.util.concurrent.ForkJoinPool;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.util.ServerInfo;
import org.apache.tomcat.util.IntrospectionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kit on Tomcat, and what Tomcat does in its own way. */
final class TomcatExecutorTest extends HostKit {

  private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

  @Override
  protected TomcatHost start(int size) throws Exception {
    return new TomcatHost(size);
  }

  /** A Tomcat with the executor. */
  private static final class TomcatHost implements Host {
    final TomcatServer server = new TomcatServer();
    final TomcatExecutor executor;

    TomcatHost(int size) throws Exception {
      executor =
          TomcatExecutor.install(
              server.tomcat.getConnector(),
              pool ->
                  pool.bounds(BOUNDS.minimum(), BOUNDS.maximum())
                      .initialSize(size)
                      .mode(Mode.FROZEN)
                      .window(WINDOW)
                      .hangAfter(HANG));
      server.start();
    }

    @Override
    public Resizable pool() {
      return executor.pool();
    }

    @Override
    public ControlLoop loop() {
      return executor.pool().control();
    }

    @Override
    public void call(Runnable work) throws Exception {
      server.call(work);
    }

    @Override
    public int capacity() {
      return executor.getPoolSize();
    }

    @Override
    public OptionalInt reportedSize() throws Exception {
      return OptionalInt.of((Integer) BEANS.getAttribute(executor.getObjectName(), "maxThreads"));
    }

    @Override
    public void restart() throws Exception {
      server.restart();
    }

    @Override
    public void close() {
      server.close();
    }

    Object ofThreadPool(String attribute) throws Exception {
      ObjectName pools = new ObjectName("Tomcat:type=ThreadPool,*");
      ObjectName pool = BEANS.queryNames(pools, null).iterator().next();
      return BEANS.getAttribute(pool, attribute);
    }
  }

  @Test
  void testsRunOnTheVersionThatTheBuildNames() {
    assertThat(ServerInfo.getServerNumber()).startsWith(System.getProperty("tomcat.version"));
  }

  @Test
  void tomcatCountsItsThreads() throws Exception {
    try (TomcatHost host = start(3);
        HostLoad load = new HostLoad(host, 5)) {
      load.awaitInside(3);
      assertThat(host.ofThreadPool("currentThreadCount")).isEqualTo(3);
      assertThat(host.ofThreadPool("currentThreadsBusy")).isEqualTo(3);
    }
  }

  /** Tomcat knows the maximum of its own pool alone, also where the executor can be resized. */
  @Test
  void beanOfTheConnectorReportsNoMaximum() throws Exception {
    try (TomcatHost host = start(3)) {
      assertThat(host.ofThreadPool("maxThreads")).isEqualTo(-1);
    }
  }

  @Test
  void resizePoolTakesBothSizesAtOnce() throws Exception {
    try (TomcatHost host = start(2)) {
      assertThat(host.executor.resizePool(12, 12)).isTrue();
      assertThat(host.pool().size()).isEqualTo(12);
      assertThat(host.executor.resizePool(1, 17)).isFalse();
      assertThat(host.pool().size()).isEqualTo(12);
    }
  }

  @Test
  void connectorThatRunsIsRefused() throws Exception {
    try (TomcatHost host = start(2)) {
      assertThatThrownBy(() -> TomcatExecutor.install(host.server.tomcat.getConnector()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("install the executor before");
    }
    assertThatThrownBy(() -> TomcatExecutor.install(new Connector()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no service");
  }

  @Test
  void propertiesComeFromServerXml() throws Exception {
    TomcatExecutor executor = new TomcatExecutor();
    assertThat(IntrospectionUtils.setProperty(executor, "name", "web")).isTrue();
    assertThat(IntrospectionUtils.setProperty(executor, "minSpareThreads", "2")).isTrue();
    assertThat(IntrospectionUtils.setProperty(executor, "maxThreads", "9")).isTrue();
    assertThat(IntrospectionUtils.setProperty(executor, "mode", "dry-run")).isTrue();
    executor.start();
    assertThat(executor.pool().name()).isEqualTo("web");
    assertThat(executor.pool().bounds().maximum()).isEqualTo(9);
    assertThat(executor.pool().control().mode()).isEqualTo(Mode.DRY_RUN);
    executor.stop();
    executor.destroy();
  }

  @Test
  void propertiesThatContradictEachOtherFailTheStartAndAreNamed() {
    TomcatExecutor executor = new TomcatExecutor();
    executor.setMinSpareThreads(5);
    executor.setMaxThreads(4);
    assertStartFails(executor, "maxThreads must be >= minSpareThreads, but 4 < 5");
    executor.setMinSpareThreads(0);
    assertStartFails(executor, "minSpareThreads must be >= 1, but is 0");
    executor.setMinSpareThreads(1);
    executor.setMaxQueueSize(0);
    assertStartFails(executor, "maxQueueSize must be >= 1, but is 0");
    assertStartFails(
        new TomcatExecutor(pool -> pool.bounds(9, 8)), "maximum must be >= minimum, but 8 < 9");
  }

  private static void assertStartFails(TomcatExecutor executor, String message) {
    assertThatThrownBy(executor::start)
        .isInstanceOf(LifecycleException.class)
        .hasStackTraceContaining("executor 'tomcat': " + message);
  }

  @Test
  void anExecutorIsInstalledOnceAndReplacesNoOther() throws Exception {
    try (TomcatServer server = new TomcatServer()) {
      Connector connector = server.tomcat.getConnector();
      connector.setProperty("useVirtualThreads", "true");
      assertRefused(connector, "uses virtual threads, which need no pool: add an AdmissionValve");
      connector.setProperty("useVirtualThreads", "false");
      ForkJoinPool own = ForkJoinPool.commonPool();
      connector.getProtocolHandler().setExecutor(own);
      assertRefused(connector, "has an executor of its own, java.util.concurrent.ForkJoinPool");
      assertThat(connector.getProtocolHandler().getExecutor()).isSameAs(own);
      connector.getProtocolHandler().setExecutor(null);
      TomcatExecutor installed = TomcatExecutor.install(connector);
      assertRefused(connector, "has a TomcatExecutor already: install it once");
      assertThat(server.tomcat.getService().findExecutors()).containsExactly(installed);
    }
  }

  private static void assertRefused(Connector connector, String message) {
    assertThatThrownBy(() -> TomcatExecutor.install(connector))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 200, 300})
  void limitsThatWereSetAtTheConnectorHold(int threads) throws Exception {
    try (TomcatServer server = new TomcatServer()) {
      Connector connector = server.tomcat.getConnector();
      connector.setProperty("maxThreads", Integer.toString(threads));
      TomcatExecutor executor = TomcatExecutor.install(connector);
      server.start();
      assertThat(executor.pool().bounds()).isEqualTo(new Bounds(1, threads));
    }
  }

  @Test
  void aConnectorWithoutLimitsHasThoseOfTomcat() throws Exception {
    try (TomcatServer server = new TomcatServer()) {
      TomcatExecutor executor = TomcatExecutor.install(server.tomcat.getConnector());
      server.start();
      assertThat(executor.pool().bounds()).isEqualTo(new Bounds(1, 200));
    }
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what is tried.
  void nullIsRefusedAtOnce() {
    assertThatThrownBy(() -> TomcatExecutor.install(null)).hasMessage("connector must not be null");
    assertThatThrownBy(() -> new TomcatExecutor(null)).hasMessage("settings must not be null");
    assertThatThrownBy(() -> new AdmissionValve(null)).hasMessage("settings must not be null");
  }
}
