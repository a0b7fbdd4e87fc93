package io.tidepool.testbed.load;

import io.tidepool.testbed.load.run.LoadRun;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Whoever started this process, as heard on standard input: the first line ends the warm-up, and
 * the end of input stops everything, since then nobody wants the load any more. Either may come
 * before the run that it is about. Safe for use by several threads.
 */
final class Caller {

  private @Nullable LoadRun warmUp;
  private @Nullable LoadRun measured;
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
    if (warmUp != null) {
      warmUp.stop();
    }
    if (end && measured != null) {
      measured.stop();
    }
  }

  /** The run that the first line ends. */
  synchronized void warmsUp(LoadRun run) {
    warmUp = run;
    if (hasSpoken) {
      run.stop();
    }
  }

  /** The run that only the end of input stops, unless it came before and there was no warm-up. */
  synchronized void measures(LoadRun run) {
    boolean warmedUp = warmUp != null;
    measured = run;
    if (gone && warmedUp) {
      run.stop();
    }
  }
}
