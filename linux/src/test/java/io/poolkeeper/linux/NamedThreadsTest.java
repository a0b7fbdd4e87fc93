package io.poolkeeper.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads of a native library, by their name. */
final class NamedThreadsTest {

  @TempDir private Path folder = Path.of("");

  private FakeProc thread(FakeProc proc, long id, String name, char state, long written) {
    return proc.io(id, "0", written)
        .stat(id, name, state, 0)
        .write("self/task/" + id + "/comm", name + "\n");
  }

  @Test
  void trafficAndStatesOfTheThreadsOfTheName() {
    FakeProc proc = thread(new FakeProc(folder), 7, "rocksdb:high", 'D', 1000);
    thread(proc, 8, "rocksdb:high", 'S', 0);
    thread(proc, 9, "rocksdb:low", 'R', 500);
    try (NamedThreads threads = new NamedThreads(proc.proc(), "rocksdb:high")) {
      thread(proc, 7, "rocksdb:high", 'R', 5000);
      thread(proc, 9, "rocksdb:low", 'R', 9000);
      threads.look();
      thread(proc, 7, "rocksdb:high", 'S', 5000);

      NamedThreads.Usage usage = threads.measure();

      assertThat(usage.threads()).isEqualTo(2);
      assertThat(usage.busy()).isEqualTo(0.5);
      assertThat(usage.disk().logicalBytes()).isEqualTo(4000);
      assertThat(usage.disk().changes()).isZero();
    }
  }

  @Test
  void threadsThatComeCountFromTheirStartAndThoseThatGoAreChanges() {
    FakeProc proc = thread(new FakeProc(folder), 7, "rocksdb:high", 'S', 1000);
    try (NamedThreads threads = new NamedThreads(proc.proc(), "rocksdb:high")) {
      thread(proc, 8, "java", 'S', 70_000);
      assertThat(threads.measure().threads()).isEqualTo(1);
      thread(proc, 8, "rocksdb:high", 'S', 80_000); // It gets its name after its start.
      proc.delete("self/task/7/io").delete("self/task/7/stat").delete("self/task/7/comm");
      proc.delete("self/task/7");

      NamedThreads.Usage usage = threads.measure();

      assertThat(usage.threads()).isEqualTo(1);
      assertThat(usage.disk().changes()).isEqualTo(2);
      assertThat(usage.disk().logicalBytes()).isEqualTo(80_000);
    }
  }

  @Test
  void withoutProcThereIsAReasonAndNoNumber() {
    Proc nowhere = Proc.at(folder.resolve("nowhere"));
    try (NamedThreads threads = new NamedThreads(nowhere, "rocksdb:high")) {
      NamedThreads.Usage usage = threads.measure();
      assertThat(usage.disk().problem()).contains(folder.resolve("nowhere") + " is not mounted");
      assertThat(usage.threads()).isZero();
    }
  }
}
