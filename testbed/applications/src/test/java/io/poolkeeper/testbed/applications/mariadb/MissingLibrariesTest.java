package io.poolkeeper.testbed.applications.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class MissingLibrariesTest {

  @Test
  void namesLibrariesAndPackages() {
    assertThat(
            MissingLibraries.parse(
                """
                \tlinux-vdso.so.1 (0x00007fbf633c9000)
                \tlibaio.so.1 => not found
                \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fbf6061e000)
                \tlibncurses.so.5 => not found
                \tlibodd.so.3 => not found
                """))
        .isEqualTo(
            "this machine lacks libaio.so.1, libncurses.so.5, libodd.so.3; on Debian: "
                + "apt-get install libaio1 libncurses5 the package of libodd.so.3");
  }

  @Test
  void aProgramThatHasAllIsSilent() {
    assertThat(MissingLibraries.of(Path.of("/bin/sh"))).isEmpty();
  }
}
