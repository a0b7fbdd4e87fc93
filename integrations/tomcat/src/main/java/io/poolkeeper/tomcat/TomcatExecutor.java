package io.poolkeeper.tomcat;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Mode;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.apache.catalina.Executor;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Service;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.util.LifecycleMBeanBase;
import org.apache.tomcat.util.threads.ResizableExecutor;
import org.apache.tomcat.util.threads.TaskThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a Tomcat service as an {@link AdaptiveExecutor}, in place of Tomcat's own pool.
 * Works with Tomcat 10.1 and 11.
 *
 * <pre>{@code
 * var tomcat = new Tomcat();
 * tomcat.setPort(8080);
 * TomcatExecutor.install(tomcat.getConnector());
 * tomcat.start();
 * }</pre>
 *
 * <p>In {@code server.xml}:
 *
 * <pre>{@code
 * <Executor className="io.poolkeeper.tomcat.TomcatExecutor" name="tomcat" maxThreads="200"/>
 * <Connector executor="tomcat" port="8080"/>
 * }</pre>
 *
 * <p>It starts and stops with the service; each start makes a new pool. A task is an event of a
 * connection: the requests that can be read at once, or the end of an asynchronous one. Tomcat
 * catches what a servlet throws, so tasks do not fail. Tomcat's bean {@code type=ThreadPool}
 * reports threads and busy threads, and -1 for {@code maxThreads}, as for every executor that is
 * not its own: the size is in the bean {@code type=Executor} of the same service. Threads keep what
 * a web application left in thread locals when it was undeployed; Tomcat renews only the threads of
 * its own pool.
 */
public final class TomcatExecutor extends LifecycleMBeanBase
    implements Executor, ResizableExecutor {

  /** Seconds that tasks get to end when Tomcat stops, as in Tomcat's own pool. */
  private static final long PATIENCE = 5;

  private final Consumer<AdaptiveExecutor.Builder> settings;
  private String name = "tomcat";
  private String namePrefix = "tomcat-exec-";
  private boolean daemon = true;
  private int threadPriority = Thread.NORM_PRIORITY;
  private int minSpareThreads = 1;
  private int maxThreads = 256;
  private int maxQueueSize = Integer.MAX_VALUE;
  private Mode mode = Mode.ACTIVE;
  private volatile @Nullable AdaptiveExecutor pool;

  /** For {@code server.xml}: Tomcat sets the properties. */
  public TomcatExecutor() {
    this(builder -> {});
  }

  /**
   * Makes an executor that no service has yet.
   *
   * @param settings changes the description of the pool, at each start; a controller must be a new
   *     one each time
   */
  public TomcatExecutor(Consumer<AdaptiveExecutor.Builder> settings) {
    this.settings = Objects.requireNonNull(settings, "settings must not be null");
  }

  /** Gives a connector an executor with the default settings, named after it. */
  public static TomcatExecutor install(Connector connector) {
    return install(connector, builder -> {});
  }

  /**
   * Gives a connector an executor, and its service the task of starting and stopping it. The {@code
   * maxThreads} and {@code maxQueueSize} of the connector hold, 200 and no bound unless they were
   * set, unless the settings have others; its {@code minSpareThreads} has no meaning any more.
   *
   * @param settings changes the description of the pool, at each start; a controller must be a new
   *     one each time
   * @throws IllegalStateException if the connector has started, belongs to no service, has an
   *     executor already, or uses virtual threads
   */
  public static TomcatExecutor install(
      Connector connector, Consumer<AdaptiveExecutor.Builder> settings) {
    Objects.requireNonNull(connector, "connector must not be null");
    Service service = connector.getService();
    if (service == null) {
      throw new IllegalStateException(connector + " belongs to no service: add it to one first");
    }
    if (connector.getState().isAvailable()) {
      throw new IllegalStateException(connector + " has started: install the executor before");
    }
    requireNoExecutor(connector);
    TomcatExecutor executor = new TomcatExecutor(settings);
    executor.takeOver(connector);
    executor.setName("tomcat-" + connector.getPortWithOffset());
    connector.getProtocolHandler().setExecutor(executor);
    service.addExecutor(executor);
    return executor;
  }

  private static void requireNoExecutor(Connector connector) {
    java.util.concurrent.Executor other = connector.getProtocolHandler().getExecutor();
    if (other instanceof TomcatExecutor) {
      throw new IllegalStateException(connector + " has a TomcatExecutor already: install it once");
    }
    if (other != null) {
      throw new IllegalStateException(
          "%s has an executor of its own, %s, which this would replace: give it none, or limit its"
                  .formatted(connector, other.getClass().getName())
              + " requests by an AdmissionValve");
    }
    if ("true".equals(String.valueOf(connector.getProperty("useVirtualThreads")))) {
      throw new IllegalStateException(
          connector + " uses virtual threads, which need no pool: add an AdmissionValve");
    }
  }

  /** Takes over the limits of the connector. */
  private void takeOver(Connector connector) {
    if (connector.getProperty("maxThreads") instanceof Integer threads) {
      setMaxThreads(threads);
    }
    if (connector.getProperty("maxQueueSize") instanceof Integer queued) {
      setMaxQueueSize(queued);
    }
  }

  /**
   * The pool.
   *
   * @throws IllegalStateException if the service has not started, or has stopped
   */
  public AdaptiveExecutor pool() {
    AdaptiveExecutor current = pool;
    if (current == null) {
      throw new IllegalStateException("executor '" + name + "' is not started");
    }
    return current;
  }

  @Override
  protected void startInternal() throws LifecycleException {
    try {
      requireBounds();
      AdaptiveExecutor.Builder builder =
          AdaptiveExecutor.builder(name)
              .bounds(minSpareThreads, maxThreads)
              .queueCapacity(maxQueueSize)
              .mode(mode)
              .threadFactory(new TaskThreadFactory(namePrefix, daemon, threadPriority));
      settings.accept(builder);
      pool = builder.build();
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new LifecycleException("executor '" + name + "': " + e.getMessage(), e);
    }
    setState(LifecycleState.STARTING);
  }

  /** Names the properties, as {@code server.xml} has them. */
  private void requireBounds() {
    requirePositive("minSpareThreads", minSpareThreads);
    requirePositive("maxQueueSize", maxQueueSize);
    if (maxThreads < minSpareThreads) {
      throw new IllegalArgumentException(
          "maxThreads must be >= minSpareThreads, but %d < %d"
              .formatted(maxThreads, minSpareThreads));
    }
  }

  private static void requirePositive(String property, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(property + " must be >= 1, but is " + value);
    }
  }

  @Override
  protected void stopInternal() throws LifecycleException {
    setState(LifecycleState.STOPPING);
    AdaptiveExecutor stopped = pool;
    pool = null;
    if (stopped != null) {
      stopped.shutdownNow();
      try {
        stopped.awaitTermination(PATIENCE, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void execute(Runnable command) {
    pool().execute(command);
  }

  @Override
  public String getName() {
    return name;
  }

  /** Sets the name of the pool; default {@code tomcat}, and its port where it was installed. */
  public void setName(String name) {
    this.name = name;
  }

  /** Sets the beginning of the names of threads; default {@code tomcat-exec-}. */
  public void setNamePrefix(String namePrefix) {
    this.namePrefix = namePrefix;
  }

  /** Sets whether threads are daemons; default yes. */
  public void setDaemon(boolean daemon) {
    this.daemon = daemon;
  }

  /** Sets the priority of threads; default {@link Thread#NORM_PRIORITY}. */
  public void setThreadPriority(int threadPriority) {
    this.threadPriority = threadPriority;
  }

  /** Sets the smallest size, from the next start on; default 1. */
  public void setMinSpareThreads(int minSpareThreads) {
    this.minSpareThreads = minSpareThreads;
  }

  /** Sets the largest size, from the next start on; default 256. */
  public void setMaxThreads(int maxThreads) {
    this.maxThreads = maxThreads;
  }

  /** Sets how many tasks may wait, from the next start on; default no bound. */
  public void setMaxQueueSize(int maxQueueSize) {
    this.maxQueueSize = maxQueueSize;
  }

  /**
   * Sets the mode of the loop from the next start on; default {@code active}.
   *
   * @param mode {@code active}, {@code dry-run} or {@code frozen}
   * @throws IllegalArgumentException if it is none of them
   */
  public void setMode(String mode) {
    this.mode = Mode.of(mode);
  }

  /** The size in force; the largest size while it is stopped. */
  @Override
  public int getMaxThreads() {
    AdaptiveExecutor current = pool;
    return current == null ? maxThreads : current.size();
  }

  @Override
  public int getPoolSize() {
    return count(AdaptiveExecutor::getPoolSize);
  }

  @Override
  public int getActiveCount() {
    return count(AdaptiveExecutor::getActiveCount);
  }

  /** Tasks that wait. */
  public int getQueueSize() {
    return count(AdaptiveExecutor::queued);
  }

  private int count(ToIntFunction<AdaptiveExecutor> counter) {
    AdaptiveExecutor current = pool;
    return current == null ? 0 : counter.applyAsInt(current);
  }

  /** Sets the size by hand, to the largest one that is asked for. */
  @Override
  public boolean resizePool(int corePoolSize, int maximumPoolSize) {
    AdaptiveExecutor current = pool;
    if (current == null || !current.bounds().contain(maximumPoolSize)) {
      return false;
    }
    current.resize(maximumPoolSize);
    return true;
  }

  @Override
  public boolean resizeQueue(int capacity) {
    return false;
  }

  @Override
  protected String getDomainInternal() {
    return "Catalina";
  }

  @Override
  protected String getObjectNameKeyProperties() {
    return "type=Executor,name=" + name;
  }
}
