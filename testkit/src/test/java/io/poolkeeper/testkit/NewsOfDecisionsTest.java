package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.PoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Decisions as people meet them: in the log, in a flight recording, in JMX. */
final class NewsOfDecisionsTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualClock clock = new VirtualClock();
  private final VirtualPool pool =
      new VirtualPool("news \"of\" pools", new Bounds(1, 20), 4, n -> 100.0 * n);

  private ControlLoop start(Controller controller) {
    return ControlLoop.tune(pool)
        .controller(controller)
        .window(SECOND)
        .ticker(clock)
        .timer(clock)
        .start();
  }

  @Test
  void theLogHasChangesAsInfoAndARepeatedFailureOnce() {
    Logger logger = Logger.getLogger("io.poolkeeper");
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            String message = new SimpleFormatter().formatMessage(line);
            if (message.startsWith(pool.name() + ": ")) { // Other tests run beside this one.
              lines.add(line.getLevel() + " " + message);
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    try (ControlLoop loop =
        start(
            w ->
                w.start() == 0
                    ? Decision.resize(5, "it's {0} time")
                    : Decision.resize(99, "too many"))) {
      clock.advance(SECOND.multipliedBy(4));
      assertThat(loop.lastStep()).isPresent();
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
      logger.setLevel(before);
    }
    assertThat(lines)
        .containsExactly(
            "INFO news \"of\" pools: resized 4 -> 5: it's {0} time",
            "WARNING news \"of\" pools: refused 5 -> 5: 99 is outside 1..20, the size stays;"
                + " reason of the controller: too many");
  }

  @Test
  void aFlightRecordingHasWindowsAndDecisions(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("news.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("poolkeeper.Window");
      recording.enable("poolkeeper.Decision");
      recording.start();
      pool.users(8);
      try (ControlLoop loop = start(w -> Decision.resize(5, "five"))) {
        clock.advance(SECOND);
        assertThat(loop.lastStep()).isPresent();
      }
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    RecordedEvent window = first("poolkeeper.Window", events);
    assertThat(window.getInt("size")).isEqualTo(4);
    assertThat(window.getDouble("throughput")).isEqualTo(400);
    assertThat(window.getDouble("busy")).isEqualTo(4);
    assertThat(window.getDouble("queueMean")).isEqualTo(4);
    assertThat(window.getDuration("responseMean")).isEqualTo(Duration.ofMillis(20));
    assertThat(window.getDuration("length")).isEqualTo(SECOND);
    RecordedEvent decision = first("poolkeeper.Decision", events);
    assertThat(decision.getInt("before")).isEqualTo(4);
    assertThat(decision.getInt("after")).isEqualTo(5);
    assertThat(decision.getString("action")).isEqualTo("resized");
    assertThat(decision.getString("mode")).isEqualTo("active");
    assertThat(decision.getString("reason")).isEqualTo("five");
  }

  /**
   * Returns the first event of this pool; a recording has those of tests that run beside it too.
   */
  private RecordedEvent first(String type, List<RecordedEvent> events) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(type))
        .filter(event -> pool.name().equals(event.getString("pool")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void jmxShowsThePoolAndChangesItsMode() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name =
        new ObjectName("io.poolkeeper:type=Pool,name=" + ObjectName.quote(pool.name()));
    pool.users(8);
    try (ControlLoop loop = start(w -> Decision.resize(w.size() + 1, "one more"))) {
      PoolMXBean bean = JMX.newMXBeanProxy(server, name, PoolMXBean.class);
      assertThat(bean.getController()).isEqualTo(loop.controller());
      assertThat(bean.getLastDecision()).isEmpty();
      assertThat(bean.getThroughput()).isNaN();
      clock.advance(SECOND);
      assertThat(bean.getSize()).isEqualTo(5);
      assertThat(bean.getMinimum()).isEqualTo(1);
      assertThat(bean.getMaximum()).isEqualTo(20);
      assertThat(bean.getThroughput()).isEqualTo(400);
      assertThat(bean.getMeanResponseTime()).isEqualTo(20);
      assertThat(bean.getP99ResponseTime()).isEqualTo(20);
      assertThat(bean.getBusy()).isEqualTo(4);
      assertThat(bean.getQueue()).isEqualTo(4);
      assertThat(bean.getLastDecision()).isEqualTo("one more");
      bean.setMode("frozen");
      assertThat(bean.getMode()).isEqualTo("frozen");
      clock.advance(SECOND.multipliedBy(3));
      assertThat(pool.size()).isEqualTo(5);
      bean.resize(11);
      bean.setMode("active");
      clock.advance(SECOND);
      assertThat(pool.size()).isEqualTo(12);
      assertThatThrownBy(() -> bean.setMode("off"))
          .hasMessage("mode must be active, dry-run or frozen, but is 'off'");
      assertThatThrownBy(() -> bean.resize(21)).hasMessage("size must be within 1..20, but is 21");
      loop.bounds(new Bounds(2, 15));
      assertThatThrownBy(() -> bean.resize(16)).hasMessage("size must be within 2..15, but is 16");
      try (ControlLoop second = start(w -> Decision.keep(w, "kept"))) {
        assertThat(second.lastStep()).isEmpty();
        assertThat(bean.getLastDecision()).as("of the first of that name").isEqualTo("one more");
      }
      assertThat(server.isRegistered(name)).as("the first is still there").isTrue();
    }
    assertThat(server.isRegistered(name)).isFalse();
  }
}
