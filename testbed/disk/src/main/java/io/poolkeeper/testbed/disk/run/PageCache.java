package io.poolkeeper.testbed.disk.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The page cache of Linux, from which files are dropped so that they are read from the device. */
final class PageCache {

  /** Files of one call of the shell. */
  private static final int AT_ONCE = 200;

  private static final long PATIENCE_SECONDS = 120;

  /** Advises the kernel that a file is not needed; takes no rights, and spares other programs. */
  private static final String ADVISE =
      "for f; do dd if=\"$f\" iflag=nocache count=0 status=none || exit 1; done";

  private PageCache() {}

  /** Drops files; returns how, or why not. */
  static String drop(List<Path> files) {
    try {
      for (int i = 0; i < files.size(); i += AT_ONCE) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", ADVISE, "sh"));
        files.subList(i, Math.min(files.size(), i + AT_ONCE)).forEach(f -> command.add(f + ""));
        if (!run(command)) {
          return dropAll();
        }
      }
      return "dropped file by file";
    } catch (IOException e) {
      return dropAll();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "not dropped: interrupted";
    }
  }

  private static boolean run(List<String> command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      return false;
    }
    return process.exitValue() == 0;
  }

  private static String dropAll() {
    try {
      Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "1\n");
      return "dropped as a whole";
    } catch (IOException e) {
      return "not dropped: dd knows no nocache here, and only root may drop the whole cache";
    }
  }
}
