package io.poolkeeper.spring.pools;

import io.poolkeeper.spring.pools.TunedPool.Kind;
import io.poolkeeper.spring.settings.HostMaximum;
import io.poolkeeper.spring.settings.InvalidSettingException;
import io.poolkeeper.spring.settings.PoolSettings;
import java.util.concurrent.Executor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Tunes each {@link ThreadPoolTaskExecutor} of the context, such as that of {@code @Async}. The log
 * names other executors, which are left alone.
 */
public final class TaskExecutors implements BeanPostProcessor, PriorityOrdered {

  /** Class with a field that has no getter. */
  public static final Class<?> DECORATED = ThreadPoolTaskExecutor.class;

  /** Field of the class. */
  public static final String DECORATOR = "taskDecorator";

  private static final Log LOG = LogFactory.getLog("io.poolkeeper.spring");

  /** Largest size of a pool whose own maximum nobody has set. */
  private static final int LARGEST = 256;

  private final ObjectProvider<Pools> pools;

  /** Makes a post-processor; the pools are asked for with the first executor. */
  public TaskExecutors(ObjectProvider<Pools> pools) {
    this.pools = pools;
  }

  /** First of all: others may put proxies around the bean. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (bean instanceof ThreadPoolTaskExecutor executor) {
      Pools all = pools.getObject(); // Stops the start where a property is invalid.
      try {
        tune(executor, beanName, all);
      } catch (InvalidSettingException e) {
        throw e;
      } catch (RuntimeException e) { // A mock, or a class that hides its pool.
        LOG.warn("task executor '%s' is not tuned: %s".formatted(beanName, e.getMessage()));
      }
    } else if (bean instanceof Executor executor) {
      String reason =
          "executor '%s' is not tuned: it is a %s, and only a ThreadPoolTaskExecutor can be tuned"
              .formatted(beanName, executor.getClass().getName());
      pools.getObject().leaveAlone(beanName, reason);
    }
    return bean;
  }

  private static void tune(ThreadPoolTaskExecutor executor, String name, Pools pools) {
    PoolSettings settings = pools.settings(name);
    if (!settings.enabled()) {
      return;
    }
    var threads = executor.getThreadPoolExecutor();
    if (threads.getQueue().remainingCapacity() == 0 && threads.getQueue().isEmpty()) {
      pools.leaveAlone(
          name,
          "task executor '%s' is not tuned: its queue holds no task, and a smaller size would refuse"
                  .formatted(name)
              + " tasks; give it a queue capacity of 1 or more");
      return;
    }
    int maximum = threads.getMaximumPoolSize();
    int current = Math.max(1, threads.getCorePoolSize());
    HostMaximum host =
        maximum == Integer.MAX_VALUE
            ? HostMaximum.none(Math.max(LARGEST, current))
            : new HostMaximum("maxPoolSize", maximum, true);
    TunedPool pool = pools.addBean(settings, Kind.THREADS, host, current);
    try {
      TaskExecutorThreads tuned =
          TaskExecutorThreads.install(
              name,
              pool.range().widest(),
              settings.objective(),
              executor,
              builder -> pool.configure(builder, pools.jmx()));
      pool.loop(tuned::control);
    } catch (RuntimeException e) {
      pools.remove(pool);
      throw e;
    }
  }
}
