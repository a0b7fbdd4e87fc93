package io.poolkeeper.internal.meter;

import java.util.Arrays;
import java.util.List;

/** The thread that asked for a permit, with its stack. */
public final class Acquisition extends Throwable {

  private static final long serialVersionUID = 1;

  private static final String LIMITER = "io.poolkeeper.AdaptiveLimiter";

  private final String thread = Thread.currentThread().getName();

  /** Returns the name of the thread. */
  public String thread() {
    return thread;
  }

  /** Returns the stack of the thread, without the library's own calls at its top. */
  public List<StackTraceElement> callers() {
    return Arrays.stream(getStackTrace())
        .dropWhile(frame -> frame.getClassName().split("\\$", 2)[0].equals(LIMITER))
        .toList();
  }
}
