package io.tidepool.testbed.load.run;

import io.tidepool.testbed.load.description.LoadDescription;
import io.tidepool.testbed.load.http.Connection;
import io.tidepool.testbed.load.http.Target;
import io.tidepool.testbed.load.http.Wire;
import io.tidepool.testbed.load.measure.LoopRecorder;
import io.tidepool.testbed.load.traffic.ClosedUsers;
import io.tidepool.testbed.load.traffic.Share;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A load thread: it sends the requests of its share of the users, over as many connections, and
 * records the answers. It never blocks but in its selector.
 *
 * <p>A selector of the JDK and a parser of our own, because generator and server share a machine
 * here, and what the one uses the other lacks. Netty's native transport with its HTTP decoder was
 * tried in their place: it needed 1.3 to 1.5 times the CPU for a request, and left garbage.
 */
public final class LoadLoop {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_TIMEOUT_SCAN = TimeUnit.MILLISECONDS.toNanos(100);

  /** A request that is given up is so within this part of its timeout. */
  private static final int TIMEOUT_SCANS = 20;

  private static final long NO_PROBE = 0;

  private final LoopRecorder recorder;
  private final Wire wire;
  private final List<Connection> connections = new ArrayList<>();
  private final ClosedUsers users;
  private final long timeout;
  private final long scanInterval;
  private final AtomicLong probe = new AtomicLong(NO_PROBE);
  private volatile boolean stopped;

  /**
   * @throws IOException if there can be no selector
   */
  LoadLoop(LoadDescription load, Share share, Target target, LoopRecorder recorder)
      throws IOException {
    this.recorder = recorder;
    timeout = load.timeout().toNanos();
    scanInterval = Math.min(timeout / TIMEOUT_SCANS, LONGEST_TIMEOUT_SCAN);
    wire = new Wire(target, load.requests(), recorder::ended);
    users =
        new ClosedUsers(
            load,
            share,
            (user, listener) -> {
              Connection connection = new Connection(wire, user, listener);
              connections.add(connection);
              return connection;
            });
  }

  /**
   * Runs the whole load.
   *
   * @param start when it begins, now or a moment ago
   * @throws IOException if the selector fails
   */
  public void run(long start) throws IOException {
    try (wire) {
      users.begin(start);
      recorder.begin(start);
      load();
    } finally {
      connections.forEach(Connection::close);
    }
  }

  private void load() throws IOException {
    long now = System.nanoTime();
    long scan = now + scanInterval;
    while (!stopped && !users.finished()) {
      users.advance(now);
      if (scan <= now) {
        for (Connection connection : connections) {
          connection.expire(now, timeout);
        }
        scan = now + scanInterval;
      }
      recorder.advance(now);
      long exact = Math.min(Math.min(scan, recorder.intervalEnd()), users.nextChange());
      select(exact - now, users.nextSend() - now);
      now = System.nanoTime();
      answerProbe(now);
    }
    recorder.finish(now, users.sending());
  }

  /**
   * Waits for what the selector reports and lets the connections handle it.
   *
   * @param exact nanoseconds until something is due that must not be early
   * @param rounded nanoseconds until something is due that may be half a millisecond early
   */
  private void select(long exact, long rounded) throws IOException {
    if (exact <= 0 || rounded <= ClosedUsers.TOLERANCE) {
      wire.selectNow();
    } else {
      long millis = Math.min((exact + MILLI - 1) / MILLI, (rounded + MILLI / 2) / MILLI);
      wire.select(Math.max(1, millis));
    }
  }

  /**
   * Measures the delay between a file descriptor's becoming ready and the end of its being handled:
   * the selector's own becomes ready now. Call it from another thread; does nothing while the probe
   * before is not answered.
   */
  public void probe() {
    if (probe.compareAndSet(NO_PROBE, System.nanoTime())) {
      wire.wakeUp();
    }
  }

  private void answerProbe(long now) {
    if (probe.get() != NO_PROBE) {
      // The time may be later than now, if the probe came after the clock was read.
      recorder.delayed(Math.max(0, now - probe.getAndSet(NO_PROBE)));
    }
  }

  /**
   * Ends the load at once; requests under way are counted as unfinished. Any thread may call it.
   */
  public void stop() {
    stopped = true;
    wire.wakeUp();
  }
}
