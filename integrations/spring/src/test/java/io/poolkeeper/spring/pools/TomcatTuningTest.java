package io.poolkeeper.spring.pools;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.Mode;
import io.poolkeeper.spring.settings.PoolkeeperProperties;
import io.poolkeeper.tomcat.TomcatExecutor;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sizes with which the threads of Tomcat start, before any decision. */
final class TomcatTuningTest {

  private static final int STARTING = 8 * Runtime.getRuntime().availableProcessors();

  @TempDir private Path folder = Path.of("");

  private final PoolkeeperProperties properties = new PoolkeeperProperties();
  private final Pools pools = new Pools(properties, false);
  private final Tomcat tomcat = new Tomcat();

  @AfterEach
  void destroy() throws LifecycleException {
    tomcat.stop();
    tomcat.destroy();
    pools.close();
  }

  /** Starts Tomcat, tuned with the properties. */
  private TunedPool start() throws LifecycleException {
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    Connector connector = tomcat.getConnector();
    new TomcatTuning(pools, new GracefulStop(true), false)
        .tune(tuning -> tuning.accept(connector), valve -> {});
    tomcat.start();
    return pools.find(Pools.WEB).orElseThrow();
  }

  private int size() {
    Object executor = tomcat.getConnector().getProtocolHandler().getExecutor();
    return ((TomcatExecutor) Objects.requireNonNull(executor)).pool().size();
  }

  private void restart() throws LifecycleException {
    tomcat.stop();
    tomcat.start();
  }

  @Test
  void theyAreWithinTheConfiguredSizes() throws LifecycleException {
    PoolkeeperProperties.Pool web = new PoolkeeperProperties.Pool();
    web.setMax(3);
    properties.getPools().put(Pools.WEB, web);

    TunedPool pool = start();

    assertThat(size()).isEqualTo(3);
    assertThat(pool.widestBounds()).isEqualTo(new Bounds(1, 200));
  }

  @Test
  void theyAreWithinTheSizesThatWereChosenBeforeARestart() throws LifecycleException {
    TunedPool pool = start();
    assertThat(size()).isEqualTo(STARTING);
    pool.bounds(new Bounds(1, 2));
    restart();
    assertThat(size()).isEqualTo(2);
  }

  @Test
  void nothingChangesAtARestartInAnotherMode() throws LifecycleException {
    TunedPool pool = start();
    pool.mode(Mode.DRY_RUN);
    restart();
    assertThat(size()).isEqualTo(200);
  }
}
