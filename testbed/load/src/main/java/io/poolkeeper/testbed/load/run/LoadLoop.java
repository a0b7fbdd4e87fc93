package io.poolkeeper.testbed.load.run;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.http.Connection;
import io.poolkeeper.testbed.load.http.Target;
import io.poolkeeper.testbed.load.http.Wire;
import io.poolkeeper.testbed.load.measure.LoopRecorder;
import io.poolkeeper.testbed.load.measure.MeasurementStart;
import io.poolkeeper.testbed.load.traffic.ArrivingClients;
import io.poolkeeper.testbed.load.traffic.ClosedUsers;
import io.poolkeeper.testbed.load.traffic.Sender;
import io.poolkeeper.testbed.load.traffic.Share;
import io.poolkeeper.testbed.load.traffic.Traffic;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A load thread: it sends the requests of its share of the clients, over as many connections, and
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

  /**
   * Nanoseconds by which Linux wakes threads later than they ask for, unless they are told to be
   * real-time ones. So much before its time a request is waited for with open eyes: mostly this
   * takes none, and at most so much of a CPU for a request.
   */
  private static final long SLACK = TimeUnit.MICROSECONDS.toNanos(60);

  private static final long NO_PROBE = 0;

  private final LoadDescription load;
  private final MeasurementStart beginning;
  private final LoopRecorder recorder;
  private final Wire wire;
  private final List<Connection> connections = new ArrayList<>();
  private final Traffic traffic;

  /** For clients who arrive; the users of a closed load have no time to keep to. */
  private final @Nullable Alarm alarm;

  private final long timeout;
  private final long scanInterval;
  private final AtomicLong probe = new AtomicLong(NO_PROBE);
  private volatile boolean stopped;

  /**
   * @param beginning until when it warms up
   * @param underWay counts the requests under way of all threads
   * @throws IOException if there can be no selector
   */
  LoadLoop(
      LoadDescription load,
      Share share,
      Target target,
      MeasurementStart beginning,
      LoopRecorder recorder,
      AtomicInteger underWay)
      throws IOException {
    this.load = load;
    this.beginning = beginning;
    this.recorder = recorder;
    timeout = load.timeout().toNanos();
    scanInterval = Math.min(timeout / TIMEOUT_SCANS, LONGEST_TIMEOUT_SCAN);
    wire = new Wire(target, load.requests(), recorder::ended);
    if (load.clients() instanceof Clients.Arriving arriving) {
      traffic = new ArrivingClients(load, arriving, share, this::open, recorder, underWay);
      alarm = new Alarm("load-alarm-" + share.thread(), wire::wakeUp);
    } else {
      traffic = new ClosedUsers(load, (Clients.Closed) load.clients(), share, this::open);
      alarm = null;
    }
  }

  private Connection open(int client, Sender.Listener listener) {
    Connection connection = new Connection(wire, client, listener);
    connections.add(connection);
    return connection;
  }

  /**
   * Runs the whole load.
   *
   * @param start when it begins, now or a moment ago
   * @throws IOException if the selector fails
   */
  public void run(long start) throws IOException {
    try (wire;
        alarm) {
      if (alarm != null) {
        alarm.start();
      }
      boolean measured = beginning.isBy(start);
      traffic.begin(measured ? load : load.warmUp(), start);
      recorder.begin(start, traffic::clients);
      load(measured ? MeasurementStart.NEVER : beginning);
    } finally {
      connections.forEach(Connection::close);
    }
  }

  private void load(MeasurementStart first) throws IOException {
    MeasurementStart next = first;
    long now = System.nanoTime();
    long scan = now + scanInterval;
    while (!(stopped && beginning.isBy(now)) && !traffic.finished()) {
      if (next.isBy(now)) {
        traffic.begin(load, next.time());
        next = MeasurementStart.NEVER;
      }
      recorder.advance(now);
      traffic.advance(now);
      if (scan <= now) {
        for (Connection connection : connections) {
          connection.expire(now, timeout);
        }
        scan = now + scanInterval;
      }
      long exact = Math.min(Math.min(scan, recorder.intervalEnd()), traffic.nextChange());
      now = alarm == null ? await(now, exact) : await(now, exact, alarm);
      answerProbe(now);
    }
    recorder.finish(now, traffic.sending());
  }

  /**
   * Waits for what the selector reports and lets the connections handle it. Requests may be half a
   * millisecond early, which users do not mind.
   *
   * @param exact when something is due that must not be early
   * @return the time afterwards
   */
  private long await(long now, long exact) throws IOException {
    long send = traffic.nextSend() - now;
    if (exact <= now || send <= ClosedUsers.TOLERANCE) {
      wire.selectNow();
    } else {
      long millis = Math.min((exact - now + MILLI - 1) / MILLI, (send + MILLI / 2) / MILLI);
      wire.select(Math.max(1, millis));
    }
    return System.nanoTime();
  }

  /** The same where requests have a time: never early, and as little late as can be. */
  private long await(long now, long exact, Alarm alarm) throws IOException {
    long send = traffic.nextSend();
    if (exact <= now || send - now <= SLACK) {
      boolean idle = wire.selectNow() == 0;
      long after = System.nanoTime();
      if (idle) {
        recorder.spun(after - now);
      }
      return after;
    }
    alarm.set(send == Long.MAX_VALUE ? send : send - SLACK);
    wire.select(Math.max(1, (exact - now + MILLI - 1) / MILLI));
    return System.nanoTime();
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
   * Ends the load at once, or when measuring has begun; requests under way are counted as
   * unfinished. Any thread may call it.
   */
  public void stop() {
    stopped = true;
    wakeUp();
  }

  /** Has it look once more what is due. Any thread may call it. */
  void wakeUp() {
    wire.wakeUp();
  }
}
