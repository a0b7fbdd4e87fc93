package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Knowledge that survives a restart. */
final class RememberTest {

  private static final int KNEE = 40;
  private static final int FIRST_SIZE = 4;

  /** Name of the threads that write. */
  private static final String WRITER = "poolkeeper-memory";

  /** Sizes within the tolerance of the best and a few workers more. */
  private static final Bounds RIGHT = new Bounds(36, 60);

  private final Path folder;

  RememberTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Path file() {
    return folder.resolve("orders.memory");
  }

  /**
   * Returns whether a short-lived thread of the library is alive, such as that which writes the
   * file.
   */
  private static boolean libraryWrites() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(WRITER));
  }

  /** Sizes of the windows of one life of the pool. */
  private List<Integer> live(Controller controller, Duration life) {
    return live(file(), controller, life);
  }

  private static List<Integer> live(Path file, Controller controller, Duration life) {
    return live(file, controller, life, new Bounds(1, 256));
  }

  private static List<Integer> live(
      Path file, Controller controller, Duration life, Bounds bounds) {
    VirtualClock clock = new VirtualClock();
    VirtualPool pool =
        new VirtualPool(
            "orders",
            bounds,
            FIRST_SIZE,
            size -> 100.0 * Math.min(size, KNEE) - Math.max(0, size - KNEE));
    pool.users(200);
    List<Integer> sizes = new ArrayList<>();
    ControlListener listener =
        new ControlListener() {
          @Override
          public void onWindow(Resizable resized, Window window) {
            sizes.add(window.size());
          }
        };
    try (ControlLoop loop =
        ControlLoop.tune(pool)
            .controller(controller)
            .remember(file)
            .ticker(clock)
            .timer(clock)
            .jmx(false)
            .listener(listener)
            .start()) {
      clock.advance(life);
      assertThat(loop.lastWindow()).isPresent();
    }
    // A busy machine may write the file later than close() waits for it.
    Conditions.await("the file is written", () -> !libraryWrites());
    return sizes;
  }

  @Test
  void fromTheSecondStartOnItStandsAtTheRightSizeFromItsFirstWindow() throws IOException {
    List<Integer> first = live(Controllers.responseCurve(), Duration.ofMinutes(2));
    assertThat(first.get(0)).isEqualTo(FIRST_SIZE);
    assertThat(RIGHT.contain(first.get(first.size() - 1))).isTrue();
    for (int start = 2; start <= 10; start++) {
      List<Integer> sizes = live(Controllers.responseCurve(), Duration.ofSeconds(20));
      assertThat(sizes.get(0)).as("start %d", start).isBetween(RIGHT.minimum(), RIGHT.maximum());
      long right = sizes.stream().filter(RIGHT::contain).count();
      assertThat((double) right / sizes.size()).as("start %d: %s", start, sizes).isGreaterThan(0.8);
    }
    assertThat(Files.size(file())).isLessThan(64 << 10);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file());
    }
  }

  private List<String> logOfAStart(Controller controller) {
    return logOfAStart(file(), controller);
  }

  /**
   * Returns the lines about learning, except that a write took long: on a busy machine any may take
   * longer than close() waits for it.
   */
  private static List<String> logOfAStart(Path file, Controller controller) {
    return logged(
        "orders: .*learn.*",
        () ->
            assertThat(live(file, controller, Duration.ofSeconds(1)).get(0)).isEqualTo(FIRST_SIZE));
  }

  private static List<String> logged(String pattern, Runnable start) {
    List<String> lines = new CopyOnWriteArrayList<>(); // The thread that writes the file adds, too.
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            String message = line.getMessage();
            if (message.matches(pattern) && !message.contains("the disk does not answer")) {
              lines.add(line.getLevel() + " " + message);
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.poolkeeper");
    logger.addHandler(handler);
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO); // The tests of this module are silent otherwise.
    try {
      start.run();
    } finally {
      logger.setLevel(before);
      logger.removeHandler(handler);
    }
    return lines;
  }

  @Test
  void aSizeBeyondTheBoundsIsToldWithTheNearestOne() {
    List<Integer> before = live(Controllers.responseCurve(), Duration.ofMinutes(2));
    assertThat(before.get(before.size() - 1)).isGreaterThan(8);
    List<String> lines =
        logged(
            "orders: remembers .*",
            () ->
                assertThat(
                        live(
                                file(),
                                Controllers.responseCurve(),
                                Duration.ofSeconds(1),
                                new Bounds(1, 8))
                            .get(0))
                    .isEqualTo(8));
    assertThat(lines)
        .singleElement()
        .asString()
        .startsWith("INFO orders: remembers size ")
        .endsWith(", which is outside of its bounds 1..8: 8 is nearest");
  }

  @Test
  void aFileThatDoesNotFitIsIgnoredWithOneLine() throws IOException {
    assertThat(logOfAStart(Controllers.responseCurve())).as("the first start").isEmpty();
    byte[] good = Files.readAllBytes(file());
    byte[] damaged = good.clone();
    damaged[good.length / 2] ^= 1;
    Files.write(file(), damaged);
    assertThat(logOfAStart(Controllers.responseCurve()))
        .containsExactly(
            "WARNING orders: ignores " + file() + " and learns anew: the file is damaged");
    Files.write(file(), "no such file".getBytes(StandardCharsets.UTF_8));
    assertThat(logOfAStart(Controllers.responseCurve()))
        .containsExactly(
            "WARNING orders: ignores "
                + file()
                + " and learns anew: the file is not the memory of a pool");
    for (int length : new int[] {0, 3, 11, good.length - 1}) {
      Files.write(file(), Arrays.copyOf(good, length));
      assertThat(logOfAStart(Controllers.responseCurve())).hasSize(1);
    }
    Files.write(file(), good);
    assertThat(logOfAStart(Controllers.responseCurve(Objective.meanResponseTime())).get(0))
        .contains("conditions");
    Files.write(file(), good);
    assertThat(logOfAStart(Controllers.throughput()).get(0)).contains("another version");
  }

  @Test
  void theFileIsWrittenWithTheFirstDecisionSoThatAWrongOneIsToldAtOnce() {
    VirtualClock clock = new VirtualClock();
    try (ControlLoop loop =
        ControlLoop.tune(new VirtualPool("first", new Bounds(1, 9), 4, size -> 100.0 * size))
            .controller(Controllers.responseCurve())
            .remember(file())
            .ticker(clock)
            .timer(clock)
            .jmx(false)
            .start()) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(loop.lastStep()).isPresent();
      Conditions.await("the file is written", () -> Files.exists(file()));
    }
    Conditions.await("the last write ends", () -> !libraryWrites());
  }

  @Test
  void aFolderThatIsNotThereCostsNothingButAWarning() throws IOException {
    Path missing = folder.resolve("missing/orders.memory");
    VirtualClock clock = new VirtualClock();
    VirtualPool pool = new VirtualPool("orders", new Bounds(1, 256), 4, size -> 100.0 * size);
    try (ControlLoop loop =
        ControlLoop.tune(pool)
            .controller(Controllers.responseCurve())
            .remember(missing)
            .ticker(clock)
            .timer(clock)
            .jmx(false)
            .start()) {
      clock.advance(Duration.ofMinutes(11));
      assertThat(loop.lastStep()).isPresent();
    }
    assertThat(missing).doesNotExist();
  }

  @Test
  void aFileSystemThatIsReadOnlyIsToldWithTheSettingAndThePoolWorksOn() {
    Path readOnly = Path.of(URI.create("jrt:/java.base/orders.memory"));
    assertThat(logOfAStart(readOnly, Controllers.responseCurve()))
        .containsExactly(
            "WARNING orders: remember: cannot write "
                + readOnly.toAbsolutePath()
                + ": java.nio.file.ReadOnlyFileSystemException; the pool works on, and learns anew"
                + " after a restart");
  }

  private Path pipe(String name) throws IOException, InterruptedException {
    Path pipe = folder.resolve(name);
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    return pipe;
  }

  @Test
  @Timeout(
      value = 300,
      threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // No interrupt ends an open.
  void whatIsNoRegularFileIsNeitherReadNorReplaced() throws Exception {
    for (Path file : List.of(pipe("pipe"), Files.createDirectory(folder.resolve("folder")))) {
      assertThat(logOfAStart(file, Controllers.responseCurve()))
          .containsExactly(
              "WARNING orders: ignores " + file + " and learns anew: it is no regular file",
              "WARNING orders: remember: cannot write "
                  + file
                  + ": java.io.IOException: it is no regular file; the pool works on, and learns"
                  + " anew after a restart");
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).as("no unfinished file").hasSize(2).noneMatch(Files::isRegularFile);
    }
    assertThat(logOfAStart(Path.of("/"), Controllers.responseCurve())).hasSize(2);
  }

  private static long writers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(WRITER))
        .count();
  }

  @Test
  @Timeout(
      value = 300,
      threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // No interrupt ends an open.
  void aDiskThatHangsHoldsAThreadForEachFileAndFourAtMost() throws Exception {
    Conditions.await("writes of other tests end", () -> !libraryWrites());
    VirtualClock clock = new VirtualClock();
    List<ControlLoop> loops = new ArrayList<>();
    List<Path> hanging = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      hanging.add(pipe(i + ".memory.tmp")); // Opening it to write waits for a reader.
      loops.add(
          ControlLoop.tune(new VirtualPool("p" + i, new Bounds(1, 9), 4, size -> 100.0 * size))
              .controller(Controllers.responseCurve())
              .remember(folder.resolve(i + ".memory"))
              .ticker(clock)
              .timer(clock)
              .jmx(false)
              .quiet()
              .start());
      clock.advance(Duration.ofMinutes(11)); // It writes three times.
      assertThat(writers()).as("with %d files", i + 1).isEqualTo(Math.min(i + 1, 4));
    }
    for (Path pipe : hanging) {
      assertThat(Files.readAllBytes(pipe)).isNotEmpty();
    }
    loops.forEach(ControlLoop::close);
    Conditions.await("the threads end", () -> !libraryWrites());
  }

  @Test
  void aControllerWithoutAStateIsRefused() {
    Controller forgetful = window -> Decision.keep(window, "kept");
    assertThatThrownBy(() -> live(forgetful, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("remember: the controller");
  }
}
