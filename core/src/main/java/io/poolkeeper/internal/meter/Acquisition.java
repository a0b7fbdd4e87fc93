package io.poolkeeper.internal.meter;

import java.util.Arrays;
import java.util.List;

/** The thread that asked for a permit, and where it did. */
public final class Acquisition extends Throwable {

  private static final long serialVersionUID = 1;

  private final String thread = Thread.currentThread().getName();

  /** Name of the thread. */
  public String thread() {
    return thread;
  }

  /** The stack of the thread, without the library's own calls at its top. */
  public List<StackTraceElement> callers() {
    return Arrays.stream(getStackTrace())
        .dropWhile(frame -> frame.getClassName().split("\\$", 2)[0].equals(LIMITER))
        .toList();
  }

  private static final String LIMITER = "io.poolkeeper.AdaptiveLimiter";
}
