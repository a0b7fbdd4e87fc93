package io.poolkeeper.internal.loop;

import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.PoolMXBean;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.function.ToDoubleFunction;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;

/** MXBean of a loop and its pool. */
public final class ManagedPool implements PoolMXBean {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper");

  private final Resizable pool;
  private final ControlLoop loop;

  private ManagedPool(Resizable pool, ControlLoop loop) {
    this.pool = pool;
    this.loop = loop;
  }

  /**
   * Registers a pool. If a pool of the same name is registered, it logs a warning instead.
   *
   * @return removes the registration
   */
  public static Runnable register(Resizable pool, ControlLoop loop) {
    try {
      ObjectName name =
          new ObjectName("io.poolkeeper:type=Pool,name=" + ObjectName.quote(pool.name()));
      ManagementFactory.getPlatformMBeanServer().registerMBean(new ManagedPool(pool, loop), name);
      return () -> unregister(name);
    } catch (InstanceAlreadyExistsException e) {
      LOG.log(
          Level.WARNING, "{0}: not in JMX: another pool of this name is registered", pool.name());
    } catch (JMException | RuntimeException e) { // JMX may be misconfigured, or forbidden.
      LOG.log(
          Level.WARNING,
          "{0}: not in JMX: {1}; the pool works without it, jmx(false) avoids this message",
          pool.name(),
          e.toString());
    }
    return () -> {};
  }

  private static void unregister(ObjectName name) {
    try {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    } catch (JMException | RuntimeException e) {
      LOG.log(Level.DEBUG, name + " was not in JMX any more", e);
    }
  }

  @Override
  public int getSize() {
    return pool.size();
  }

  @Override
  public int getMinimum() {
    return loop.bounds().minimum();
  }

  @Override
  public int getMaximum() {
    return loop.bounds().maximum();
  }

  @Override
  public String getController() {
    return loop.controller();
  }

  @Override
  public String getMode() {
    return loop.mode().toString();
  }

  @Override
  public void setMode(String mode) {
    loop.mode(Mode.of(mode));
  }

  @Override
  public String getLastDecision() {
    return loop.lastStep().map(Step::explanation).orElse("");
  }

  @Override
  public double getThroughput() {
    return last(Window::throughput);
  }

  @Override
  public double getMeanResponseTime() {
    return last(window -> window.responseTime().mean() / 1e6);
  }

  @Override
  public double getP99ResponseTime() {
    return last(window -> window.responseTime().p99() / 1e6);
  }

  @Override
  public double getBusy() {
    return last(Window::busy);
  }

  @Override
  public double getQueue() {
    return last(Window::queueMean);
  }

  @Override
  public void resize(int size) {
    loop.bounds().require("size", size); // They may be narrower than the pool's.
    pool.resize(size);
  }

  private double last(ToDoubleFunction<Window> value) {
    return loop.lastWindow().map(value::applyAsDouble).orElse(Double.NaN);
  }
}
