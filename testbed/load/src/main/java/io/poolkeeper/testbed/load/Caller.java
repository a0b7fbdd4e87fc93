package io.poolkeeper.testbed.load;

import io.poolkeeper.testbed.load.run.LoadRun;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Whoever started this process, as heard on standard input: the first line ends the warm-up, and
 * the end of input stops everything, since then nobody wants the load any more. Either may come
 * before the run that it is about. Safe for use by several threads.
 */
final class Caller {

  private @Nullable LoadRun run;
  private boolean hasSpoken;
  private boolean gone;

  /** Hears {@code in} to its end. */
  void listen(InputStream in) {
    try {
      for (int read = in.read(); read >= 0; read = in.read()) {
        if (read == '\n') {
          hear(false);
        }
      }
    } catch (IOException e) {
      // As good as the end.
    }
    hear(true);
  }

  private synchronized void hear(boolean end) {
    hasSpoken = true;
    gone |= end;
    if (run != null) {
      obey(run);
    }
  }

  /**
   * The run that all this is about.
   *
   * @param warmsUp whether it begins with a warm-up; if not, input that has ended before stops
   *     nothing
   */
  synchronized void controls(LoadRun run, boolean warmsUp) {
    this.run = run;
    if (warmsUp && hasSpoken) {
      obey(run);
    }
  }

  private void obey(LoadRun run) {
    run.measure();
    if (gone) {
      run.stop();
    }
  }
}
