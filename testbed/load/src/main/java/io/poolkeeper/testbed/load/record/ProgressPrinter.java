package io.poolkeeper.testbed.load.record;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.measure.Interval;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Tells a person how a load goes: on a terminal by a line that changes every second, elsewhere by a
 * line now and then. The launcher knows which it is. Afterwards, how each phase went.
 */
public final class ProgressPrinter {

  private static final double SECOND = 1e9;
  private static final double MILLI = 1e6;
  private static final int DIGITS = 3;

  /** Seconds between lines where they stay. */
  private static final int EVERY = 15;

  private static final String CLEAR = "\r\033[K";

  private final List<Phase> phases;
  private final boolean closed;
  private final long total;
  private final PrintStream err;
  private final boolean terminal;
  private final List<String> ended = new ArrayList<>();
  private final Histogram times = new Histogram(DIGITS);
  private long start;
  private int phase;
  private double seconds;
  private long errors;
  private int intervals;

  /**
   * @param err gets the lines
   * @param terminal whether a line can be written over
   */
  public ProgressPrinter(LoadDescription load, PrintStream err, boolean terminal) {
    phases = load.clients().phases();
    closed = load.clients() instanceof Clients.Closed;
    total = load.timeline().total();
    this.err = err;
    this.terminal = terminal;
  }

  /** The load begins at {@code start}, of {@link System#nanoTime}. */
  void begins(long start) {
    this.start = start;
  }

  /** An interval has ended. */
  void ended(Interval interval) {
    if (interval.start() - start >= total) {
      // What is still answered after the last phase is no part of it.
      return;
    }
    if (interval.phase() != phase) {
      endPhase();
      phase = interval.phase();
    }
    times.add(interval.tally().responses());
    errors += interval.tally().errors();
    seconds += interval.seconds();
    intervals++;
    if (terminal || intervals % EVERY == 0) {
      String line = now(interval, Math.min(interval.end() - start, total) / SECOND);
      if (terminal) {
        err.print(CLEAR + line);
        err.flush();
      } else {
        err.println(line);
      }
    }
  }

  private String now(Interval interval, double at) {
    String part = phases.size() == 1 ? "" : "phase %d of %d, ".formatted(phase + 1, phases.size());
    String level =
        closed
            ? users(interval.users())
            : text("%.0f/s offered", interval.offered() / interval.seconds());
    Histogram responses = interval.tally().responses();
    return text("%.0f of %.0f s, %s%s: ", at, total / SECOND, part, level)
        + figures(responses, interval.seconds(), interval.tally().errors());
  }

  private void endPhase() {
    if (seconds > 0) {
      ended.add(
          "phase %d, %s%s: %s"
              .formatted(
                  phase + 1,
                  level(phases.get(phase)),
                  requests(phases.get(phase)),
                  figures(times, seconds, errors)));
    }
    times.reset();
    errors = 0;
    seconds = 0;
  }

  /** A line for each phase that the load came to; none where there is but one level. */
  public List<String> phases() {
    endPhase();
    return phases.size() == 1 && !phases.get(0).isRamp() ? List.of() : List.copyOf(ended);
  }

  /** Takes the line that changes away. */
  public void clear() {
    if (terminal && intervals > 0) {
      err.print(CLEAR);
      err.flush();
    }
  }

  private String level(Phase phase) {
    if (phase.isRamp()) {
      String unit = closed ? "" : "/s";
      return number(phase.from()) + unit + " to " + number(phase.to()) + (closed ? " users" : unit);
    }
    return closed ? users((int) phase.from()) : number(phase.from()) + "/s";
  }

  /** The requests of a phase that has its own, after a comma; empty without. */
  private static String requests(Phase phase) {
    Requests own = phase.requests();
    return own == null ? "" : ", " + String.join(" + ", own.names());
  }

  private static String users(int users) {
    return users + (users == 1 ? " user" : " users");
  }

  private static String number(double value) {
    return value == Math.rint(value) ? text("%.0f", value) : text("%s", value);
  }

  private static String figures(Histogram times, double seconds, long errors) {
    String responses =
        times.getTotalCount() == 0
            ? ""
            : text(
                ", mean %.3f ms, 99 %% %.3f ms",
                times.getMean() / MILLI, times.getValueAtPercentile(99) / MILLI);
    return text("%.0f/s", times.getTotalCount() / seconds)
        + responses
        + (errors == 0 ? "" : ", " + errors + (errors == 1 ? " error" : " errors"));
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
