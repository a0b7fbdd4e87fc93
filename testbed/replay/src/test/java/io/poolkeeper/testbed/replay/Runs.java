package io.poolkeeper.testbed.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.record.PoolSetup;
import io.poolkeeper.record.RunRecorder;
import io.poolkeeper.testkit.VirtualClock;
import io.poolkeeper.testkit.VirtualPool;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ToIntBiFunction;

/** Records of runs in virtual time: the library's loop and recorder on a pool that is a formula. */
final class Runs {

  static final Bounds BOUNDS = new Bounds(1, 60);

  private Runs() {}

  /** Exit code and output of a command. */
  record Printed(int code, String out, String err) {
    List<String> lines() {
      return out.lines().toList();
    }
  }

  static Printed replay(Object... arguments) {
    String[] texts = Arrays.stream(arguments).map(Object::toString).toArray(String[]::new);
    return printed((out, err) -> ReplayMain.execute(out, err, texts));
  }

  /** Runs a command and returns what it prints. */
  static Printed printed(ToIntBiFunction<PrintStream, PrintStream> command) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        command.applyAsInt(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    return new Printed(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /**
   * 3 s of warm-up with a frozen pool, then windows of a second under a load that changes.
   *
   * @param mode mode after the warm-up
   */
  static void record(
      Path folder, String name, Map<String, String> settings, Mode mode, int windows) {
    PoolSetup setup = PoolSetup.of(name, settings, Objective.throughput(), BOUNDS);
    record(folder, setup, setup.newController(), mode, windows);
  }

  static void record(Path folder, PoolSetup setup, Controller controller, Mode mode, int windows) {
    VirtualClock clock = new VirtualClock(77_000_000_000L);
    VirtualPool pool =
        new VirtualPool("workers", BOUNDS, 8, VirtualPool.scalability(37.7, 0.03, 0.0007));
    SplittableRandom random = new SplittableRandom(11);
    try (RunRecorder recorder = new RunRecorder(folder)) {
      ControlLoop loop =
          ControlLoop.tune(pool)
              .controller(controller)
              .window(Duration.ofSeconds(1))
              .mode(Mode.FROZEN)
              .jmx(false)
              .ticker(clock)
              .timer(clock)
              .listener(recorder)
              .start();
      pool.users(20);
      clock.advance(Duration.ofSeconds(3));
      long start = clock.nanoTime();
      loop.mode(mode);
      for (int i = 0; i < windows; i++) {
        pool.users(random.nextInt(6) == 0 ? 0 : 1 + random.nextInt(80));
        clock.advance(Duration.ofSeconds(1));
      }
      loop.close();
      Files.writeString(
          folder.resolve("run.json"),
          new ObjectMapper()
              .writeValueAsString(
                  Map.of(
                      "version",
                      1,
                      "start_monotonic_ns",
                      start,
                      "pools",
                      Map.of("workers", setup.document()))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces text in a file of a run. */
  static void edit(Path file, String text, String other) throws IOException {
    String before = Files.readString(file);
    if (!before.contains(text)) {
      throw new IllegalStateException(file + " does not hold " + text);
    }
    Files.writeString(file, before.replace(text, other));
  }
}
