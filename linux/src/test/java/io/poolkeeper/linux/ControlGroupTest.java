package io.poolkeeper.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.linux.ControlGroup.GroupIo;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ControlGroupTest {

  private static final String STALLS = "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\n";

  private final Path folder;
  private final FakeProc fake;

  ControlGroupTest(@TempDir Path folder) {
    this.folder = folder;
    this.fake = new FakeProc(folder);
  }

  private String mountInfo(String root, String point, String type, String options) {
    return "31 23 0:28 %s %s rw,relatime shared:1 - %s %s rw,%s\n"
        .formatted(
            root, folder.resolve(point).toString().replace(" ", "\\040"), type, type, options);
  }

  @Test
  void secondVersionHasPressureAndIo() {
    fake.write("self/cgroup", "0::/service\n")
        .write("self/mountinfo", mountInfo("/", "cgroup 2", "cgroup2", "nsdelegate"))
        .write("cgroup 2/service/io.pressure", STALLS)
        .write(
            "cgroup 2/service/io.stat",
            "8:0 rbytes=10 wbytes=20 rios=1 wios=2 dbytes=0 dios=0\n8:16 rbytes=1 wbytes=2\n");
    ControlGroup group = fake.proc().controlGroup();
    assertThat(group.version()).isEqualTo(Sample.of(2));
    assertThat(group.io().read()).isEqualTo(Sample.of(new GroupIo(11, 22)));
    assertThat(group.pressure(Pressure.Resource.IO).read().map(read -> read.some().totalNanos()))
        .isEqualTo(Sample.of(9_000L));
    assertThat(group.pressure(Pressure.Resource.CPU).read().problem())
        .hasValueSatisfying(why -> assertThat(why).contains("no pressure"));
  }

  @Test
  void firstVersionHasIoAndNoPressure() {
    fake.write("self/cgroup", "7:blkio:/service\n3:cpu,cpuacct:/\n")
        .write("self/mountinfo", mountInfo("/", "blkio", "cgroup", "blkio"))
        .write(
            "blkio/service/blkio.throttle.io_service_bytes",
            "8:0 Read 10\n8:0 Write 20\n8:0 Sync 30\n8:0 Total 30\nTotal 30\n");
    ControlGroup group = fake.proc().controlGroup();
    assertThat(group.version()).isEqualTo(Sample.of(1));
    assertThat(group.io().read()).isEqualTo(Sample.of(new GroupIo(10, 20)));
    assertThat(group.pressure(Pressure.Resource.IO).read())
        .isEqualTo(Sample.missing("control groups of version 1 have no pressure"));
  }

  @Test
  void inAContainerTheMountIsTheGroup() {
    fake.write("self/cgroup", "0::/docker/abc\n")
        .write("self/mountinfo", mountInfo("/docker/abc", "mount", "cgroup2", "rw"))
        .write("mount/io.pressure", STALLS);
    assertThat(fake.proc().controlGroup().pressure(Pressure.Resource.IO).read().toOptional())
        .isPresent();
  }

  @Test
  void withoutControlGroupsTheReasonIsGiven() {
    ControlGroup none = fake.proc().controlGroup();
    assertThat(none.version().problem()).isPresent();
    assertThat(none.io().read().problem())
        .hasValueSatisfying(why -> assertThat(why).contains("cannot be read"));
    fake.write("self/cgroup", "").write("self/mountinfo", "");
    assertThat(none.pressure(Pressure.Resource.IO).read())
        .isEqualTo(Sample.missing("no control group of version 2 is mounted"));
  }
}
