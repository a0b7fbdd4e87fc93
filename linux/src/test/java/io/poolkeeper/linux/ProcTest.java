package io.poolkeeper.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ProcTest {

  private final Path folder;
  private final FakeProc fake;

  ProcTest(@TempDir Path folder) {
    this.folder = folder;
    this.fake = new FakeProc(folder);
  }

  @Test
  void readsTheIoOfAThreadAgainAndAgain() {
    fake.io(7, "100", 20);
    try (Probe<IoCounters> probe = fake.proc().threadIo(7)) {
      assertThat(probe.read()).isEqualTo(Sample.of(new IoCounters(100, 20, 3, 4, 4096, 8192)));
      fake.io(7, "1100", 20);
      assertThat(probe.read().map(IoCounters::logicalBytes)).isEqualTo(Sample.of(1120L));
    }
  }

  @Test
  void aClosedProbeGivesNoValue() {
    fake.io(7, "100", 20);
    Probe<IoCounters> probe = fake.proc().threadIo(7);
    probe.close();
    assertThat(probe.read().problem())
        .hasValueSatisfying(why -> assertThat(why).contains("closed"));
  }

  @Test
  void anInterruptNeitherClosesAProbeNorGetsLost() {
    fake.io(7, "100", 20);
    try (Probe<IoCounters> probe = fake.proc().threadIo(7)) {
      Thread.currentThread().interrupt();
      assertThat(probe.read().toOptional()).isPresent();
      assertThat(Thread.interrupted()).as("the interrupt is still there").isTrue();
      assertThat(probe.read().toOptional()).isPresent();
    }
  }

  @Test
  void counterThatPassesTheLargestNumberCountsOn() {
    fake.io(7, "18446744073709551615", 20);
    try (Probe<IoCounters> probe = fake.proc().threadIo(7)) {
      IoCounters before = probe.read().toOptional().orElseThrow();
      fake.io(7, "9", 20);
      IoCounters after = probe.read().toOptional().orElseThrow();
      assertThat(after.since(before).map(IoCounters::readChars)).isEqualTo(Sample.of(10L));
    }
  }

  @Test
  void counterThatWentBackIsOfAnotherThread() {
    IoCounters before = new IoCounters(100, 0, 1, 0, 0, 0);
    assertThat(IoCounters.NONE.since(before).problem())
        .hasValueSatisfying(why -> assertThat(why).contains("another thread"));
    ScheduleCounters more = new ScheduleCounters(5, 5, 5);
    assertThat(new ScheduleCounters(5, 4, 5).since(more).toOptional()).isEmpty();
    assertThat(new ScheduleCounters(6, 9, 7).since(more))
        .isEqualTo(Sample.of(new ScheduleCounters(1, 4, 2)));
  }

  @Test
  void threadThatEndedAndKernelWithoutCountersAndNoMountAreToldApart() {
    assertThat(fake.proc().threadIo(7).read()).isEqualTo(Sample.missing("thread 7 has ended"));
    fake.stat(7, "files-1", 'S', 0);
    assertThat(reason(fake.proc().threadIo(7).read())).contains("CONFIG_TASK_IO_ACCOUNTING");
    assertThat(reason(fake.proc().threadSchedule(7).read())).contains("CONFIG_SCHED_INFO");
    assertThat(reason(Proc.at(folder.resolve("no")).threadIo(7).read())).contains("is not mounted");
    assertThat(reason(Proc.at(folder.resolve("no")).processIo().read())).contains("not mounted");
    assertThat(reason(Proc.at(folder.resolve("no")).currentThread())).contains("is not mounted");
    assertThat(reason(Proc.at(folder.resolve("no")).delayAccounting())).contains("not mounted");
  }

  @Test
  void fileOfAnotherFormatIsNoValue() {
    fake.write("self/task/7/io", "rchar: many\n").write("self/io", "");
    assertThat(reason(fake.proc().threadIo(7).read())).contains("'many' where a number should be");
    assertThat(reason(fake.proc().processIo().read())).contains("is empty");
  }

  @Test
  void stateIsFoundBehindAnyNameOfAThread() {
    fake.stat(7, "a) S (b", 'D', 250);
    TaskStat stat = fake.proc().threadStat(7).read().toOptional().orElseThrow();
    assertThat(stat).isEqualTo(new TaskStat('D', 7_000_000_000L, 300_000_000L, 2_500_000_000L));
    assertThat(stat.blocked()).isTrue();
  }

  @Test
  void ownThreadIsFoundByItsLink() throws Exception {
    Files.createSymbolicLink(folder.resolve("thread-self"), Path.of("12/task/34"));
    assertThat(fake.proc().currentThread()).isEqualTo(Sample.of(34L));
  }

  @Test
  void delayAccountingIsOnOffOrUnknown() {
    assertThat(reason(fake.proc().delayAccounting())).contains("does not tell");
    fake.write("sys/kernel/task_delayacct", "0\n");
    assertThat(fake.proc().delayAccounting()).isEqualTo(Sample.of(false));
    fake.write("sys/kernel/task_delayacct", "1\n");
    assertThat(fake.proc().delayAccounting()).isEqualTo(Sample.of(true));
  }

  @Test
  void scheduleOfTheProcessIsTheSumOfItsThreads() {
    assertThat(fake.proc().processSchedule().read().toOptional()).isEmpty();
    fake.write("self/task/7/schedstat", "10 20 3\n").write("self/task/8/schedstat", "1 2 3\n");
    assertThat(fake.proc().processSchedule().read())
        .isEqualTo(Sample.of(new ScheduleCounters(11, 22, 6)));
  }

  @ParameterizedTest
  @EnumSource(Pressure.Resource.class)
  void pressureIsReadOrMissing(Pressure.Resource resource) {
    assertThat(reason(fake.proc().pressure(resource).read())).contains("CONFIG_PSI");
    fake.write(
        "pressure/" + resource.file(),
        """
        some avg10=1.50 avg60=0.00 avg300=100.00 total=123
        full avg10=0.25 avg60=0.00 avg300=0.00 total=45
        """);
    assertThat(fake.proc().pressure(resource).read())
        .isEqualTo(
            Sample.of(
                new Pressure(
                    new Pressure.Stall(0.015, 0, 1, 123_000),
                    Optional.of(new Pressure.Stall(0.0025, 0, 0, 45_000)))));
    fake.write("pressure/" + resource.file(), "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
    assertThat(fake.proc().pressure(resource).read().map(Pressure::full))
        .isEqualTo(Sample.of(Optional.empty()));
  }

  private static String reason(Sample<?> sample) {
    return sample.problem().orElse("no reason, but " + sample);
  }
}
