package io.poolkeeper.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The counters of this machine; where it does not offer some, the reason must be given. */
@EnabledOnOs(OS.LINUX)
final class RealProcTest {

  private final Proc proc = Proc.ofMachine();

  @Test
  void bytesOfOwnCallsAreCounted(@TempDir Path folder) throws Exception {
    long thread = proc.currentThread().toOptional().orElseThrow();
    try (Probe<IoCounters> probe = proc.threadIo(thread)) {
      Sample<IoCounters> first = probe.read();
      if (first instanceof Sample.Missing<IoCounters> none) {
        assertThat(none.reason()).containsAnyOf("permission denied", "CONFIG_TASK_IO");
        return;
      }
      Path file = folder.resolve("file");
      Files.write(file, new byte[100_000]);
      assertThat(Files.readAllBytes(file)).hasSize(100_000);
      IoCounters change =
          probe
              .read()
              .flatMap(now -> now.since(first.toOptional().orElseThrow()))
              .toOptional()
              .orElseThrow();
      assertThat(change.writtenChars()).isBetween(100_000L, 200_000L);
      assertThat(change.readChars()).isBetween(100_000L, 200_000L);
      assertThat(change.calls()).isPositive();
    }
  }

  @Test
  void countersVanishWithTheirThread() throws Exception {
    CompletableFuture<Sample<Long>> id = new CompletableFuture<>();
    Thread thread = new Thread(() -> id.complete(proc.currentThread()));
    thread.start();
    thread.join();
    long ended = id.join().toOptional().orElseThrow();
    Path folder = Path.of("/proc/self/task/" + ended);
    while (Files.exists(folder)) {
      Thread.onSpinWait(); // The kernel's thread ends after that of Java.
    }
    try (Probe<IoCounters> probe = proc.threadIo(ended)) {
      assertThat(probe.read()).isEqualTo(Sample.missing("thread " + ended + " has ended"));
    }
  }

  @Test
  void channelThatIsOpenNoticesTheEndOfItsThread() throws Exception {
    CompletableFuture<Probe<TaskStat>> probe = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              Probe<TaskStat> own =
                  proc.threadStat(proc.currentThread().toOptional().orElseThrow());
              assertThat(own.read().toOptional()).isPresent();
              probe.complete(own);
            });
    thread.start();
    thread.join();
    Sample<TaskStat> last = probe.join().read();
    while (last.toOptional().isPresent()) {
      last = probe.join().read(); // The kernel's thread ends after that of Java.
    }
    assertThat(last.problem()).hasValueSatisfying(why -> assertThat(why).endsWith("has ended"));
    probe.join().close();
  }

  @Test
  void stateAndScheduleOfOwnThread() {
    long thread = proc.currentThread().toOptional().orElseThrow();
    try (Probe<TaskStat> stat = proc.threadStat(thread);
        Probe<ScheduleCounters> schedule = proc.threadSchedule(thread)) {
      assertThat(stat.read().map(TaskStat::state)).isEqualTo(Sample.of('R'));
      schedule
          .read()
          .toOptional()
          .ifPresent(counters -> assertThat(counters.running()).isPositive());
    }
    assertThat(proc.processIo().read().toOptional().map(IoCounters::readChars).orElse(1L))
        .isPositive();
    assertThat(proc.processStat().read().toOptional()).isPresent();
  }

  @Test
  void pressureAndControlGroupAreThereOrGiveAReason() {
    for (Pressure.Resource resource : Pressure.Resource.values()) {
      assertAnswers(proc.pressure(resource));
      assertAnswers(proc.controlGroup().pressure(resource));
    }
    assertAnswers(proc.controlGroup().io());
    assertAnswers(proc.processSchedule());
  }

  private static void assertAnswers(Probe<?> probe) {
    try (probe) {
      Sample<?> sample = probe.read();
      assertThat(sample.problem().map(String::isBlank).orElse(false)).as("%s", sample).isFalse();
    }
  }
}
