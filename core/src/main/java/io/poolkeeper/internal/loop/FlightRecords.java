package io.poolkeeper.internal.loop;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * Writes windows and decisions to the flight recorder of the JDK; costs nothing while it does not
 * record.
 */
public final class FlightRecords implements ControlListener {

  @Name("poolkeeper.Window")
  @Label("Pool Window")
  @Description("Measurements of one pool over one interval")
  @Category("Poolkeeper")
  @StackTrace(false)
  static final class WindowEvent extends Event {
    @Label("Pool")
    String pool = "";

    @Label("Length")
    @Timespan
    long length;

    @Label("Size")
    int size;

    @Label("Busy")
    double busy;

    @Label("Mean Queue")
    double queueMean;

    @Label("Throughput")
    @Description("Completions per second")
    double throughput;

    @Label("Failures")
    long failures;

    @Label("Rejections")
    long rejections;

    @Label("Mean Queue Wait")
    @Timespan
    long waitMean;

    @Label("Mean Response Time")
    @Timespan
    long responseMean;

    @Label("p99 Response Time")
    @Timespan
    long responseP99;
  }

  @Name("poolkeeper.Decision")
  @Label("Pool Decision")
  @Description("Decision of a controller with its reason")
  @Category("Poolkeeper")
  @StackTrace(false)
  static final class DecisionEvent extends Event {
    @Label("Pool")
    String pool = "";

    @Label("Controller")
    String controller = "";

    @Label("Mode")
    String mode = "";

    @Label("Action")
    String action = "";

    @Label("Size Before")
    int before;

    @Label("Size After")
    int after;

    @Label("Reason")
    String reason = "";
  }

  /**
   * Loads the event classes. In a full heap loading fails, and then no event would ever be written.
   */
  public FlightRecords() {
    for (Event event : List.of(new WindowEvent(), new DecisionEvent())) {
      boolean unused = event.isEnabled();
    }
  }

  @Override
  public void onWindow(Resizable pool, Window window) {
    WindowEvent event = new WindowEvent();
    if (event.isEnabled()) {
      event.pool = pool.name();
      event.length = window.end() - window.start();
      event.size = window.size();
      event.busy = window.busy();
      event.queueMean = window.queueMean();
      event.throughput = window.throughput();
      event.failures = window.failures();
      event.rejections = window.rejections();
      event.waitMean = (long) window.queueWait().mean();
      event.responseMean = (long) window.responseTime().mean();
      event.responseP99 = window.responseTime().p99();
      event.commit();
    }
  }

  @Override
  public void onStep(Resizable pool, Step step) {
    DecisionEvent event = new DecisionEvent();
    if (event.isEnabled()) {
      event.pool = pool.name();
      event.controller = step.controller();
      event.mode = step.mode().toString();
      event.action = step.action().toString();
      event.before = step.before();
      event.after = step.after();
      event.reason = step.explanation();
      event.commit();
    }
  }
}
