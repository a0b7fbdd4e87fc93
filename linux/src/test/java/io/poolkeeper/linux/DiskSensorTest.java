package io.poolkeeper.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.DiskStats;
import io.poolkeeper.DiskStats.BlockedSource;
import io.poolkeeper.Window;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
final class DiskSensorTest {

  private static final Window WINDOW = Window.builder(0, 1_000_000_000L, 4).build();

  private final FakeProc fake;

  DiskSensorTest(@TempDir Path folder) throws IOException {
    fake = new FakeProc(folder);
    Files.createSymbolicLink(folder.resolve("thread-self"), Path.of("12/task/7"));
    fake.io(7, "100", 20).stat(7, "files", 'D', 0);
  }

  private DiskStats close(DiskSensor sensor) {
    return sensor.complete(WINDOW).disk();
  }

  @Test
  void bytesOfAWorkerCountFromItsStartToItsEnd() {
    DiskSensor sensor = new DiskSensor(fake.proc());
    sensor
        .watch(
            () -> {
              fake.io(7, "1100", 20);
              DiskStats first = close(sensor);
              assertThat(first.logicalBytes()).isEqualTo(1000);
              assertThat(first.changes()).as("the worker came").isEqualTo(1);
              fake.io(7, "1100", 50);
              assertThat(close(sensor).logicalBytes()).isEqualTo(30);
              fake.io(7, "1105", 50);
            })
        .run();
    DiskStats last = close(sensor);
    assertThat(last.logicalBytes()).as("read when it left").isEqualTo(5);
    assertThat(last.changes()).as("the worker left").isEqualTo(1);
    assertThat(close(sensor).logicalBytes()).as("no workers, measured all the same").isZero();
    assertThat(close(sensor).measured()).isTrue();
  }

  @Test
  void workersThatWaitForTheDeviceAreSampledAndTheSourceIsNamed() {
    DiskSensor sensor = new DiskSensor(fake.proc());
    sensor
        .watch(
            () -> {
              DiskStats stats = close(sensor);
              assertThat(stats.blocked()).isEqualTo(1);
              assertThat(stats.source()).isEqualTo(BlockedSource.STATE_SAMPLES);
              fake.delete("self/task/7/stat");
            })
        .run();
  }

  @Test
  void whereStatesCannotBeReadNothingTells() {
    fake.delete("self/task/7/stat");
    DiskSensor sensor = new DiskSensor(fake.proc());
    sensor
        .watch(
            () -> {
              assertThat(close(sensor).blocked()).as("no zero that looks measured").isNaN();
              assertThat(close(sensor).source()).isEqualTo(BlockedSource.NONE);
            })
        .run();
  }

  @Test
  void delayAccountingTellsForHowLongWorkersWaited() {
    fake.write("sys/kernel/task_delayacct", "1\n");
    DiskSensor sensor = new DiskSensor(fake.proc());
    sensor
        .watch(
            () -> {
              assertThat(close(sensor).source()).isEqualTo(BlockedSource.DELAY_ACCOUNTING);
              fake.stat(7, "files", 'R', 25);
              assertThat(close(sensor).blocked()).isCloseTo(0.25, within(1e-9));
              fake.stat(7, "files", 'R', 75);
            })
        .run();
    assertThat(close(sensor).blocked()).as("of the one that left").isCloseTo(0.5, within(1e-9));
  }

  @Test
  void countersThatCannotBeReadAreNoZero() {
    DiskSensor sensor = new DiskSensor(fake.proc());
    sensor
        .watch(
            () -> {
              fake.io(7, "5", 20);
              assertThat(close(sensor).problem().orElseThrow()).contains("went back");
              fake.io(7, "9", 20);
              assertThat(close(sensor).logicalBytes()).as("again from there").isEqualTo(4);
            })
        .run();
  }

  @Test
  void machineWithoutCountersIsRefusedWithTheReason(@TempDir Path empty) {
    assertThatThrownBy(() -> new DiskSensor(Proc.at(empty)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no disk sensor: " + empty + " is not mounted");
    fake.delete("self/task/7/io");
    assertThatThrownBy(() -> new DiskSensor(fake.proc()))
        .hasMessageContaining("CONFIG_TASK_IO_ACCOUNTING");
    assertThat(DiskSensor.unavailable())
        .isEqualTo(DiskSensor.unavailable().filter(reason -> !reason.isBlank()));
  }

  @Test
  void workerThatReadsASocketMakesItRefuse() throws Exception {
    fake.stat(7, "files", 'S', 0);
    DiskSensor sensor = new DiskSensor(fake.proc());
    try (ServerSocket server = new ServerSocket(0);
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket other = server.accept()) {
      CountDownLatch started = new CountDownLatch(1);
      Thread worker =
          new Thread(
              sensor.watch(
                  () -> {
                    started.countDown();
                    try {
                      assertThat(client.getInputStream().read()).isEqualTo(-1);
                    } catch (IOException e) {
                      throw new AssertionError(e);
                    }
                  }),
              "files-1");
      worker.start();
      started.await();
      DiskStats stats = close(sensor);
      while (stats.measured()) {
        stats = close(sensor); // Until the worker is in the call.
      }
      assertThat(stats.problem().orElseThrow())
          .startsWith("disk throughput refused: worker 'files-1' was seen in ")
          .endsWith("give calls to a network a pool of their own");
      other.shutdownOutput();
      worker.join();
    }
    assertThat(close(sensor).measured()).as("it stays refused").isFalse();
  }

  @Test
  void workerThatSleepsOrReadsAFifoIsNoNetwork() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    fake.stat(7, "files", 'S', 0);
    DiskSensor sensor = new DiskSensor(fake.proc());
    Thread worker =
        new Thread(
            sensor.watch(
                () -> {
                  try {
                    end.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
    worker.start();
    while (worker.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(close(sensor).measured()).isTrue();
    end.countDown();
    worker.join();
  }
}
