package io.poolkeeper.console;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rule for requests to a port on the loopback interface that may change a program. */
public final class LoopbackRequests {

  /** Names that a request from this machine gives it; a page may give its own name its address. */
  private static final Pattern LOOPBACK =
      Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d*)?", Pattern.CASE_INSENSITIVE);

  private LoopbackRequests() {}

  /**
   * Requires that a request was meant for this machine, and that no page of another origin sent it:
   * a browser on this machine must not change a program for whoever wrote the page.
   *
   * @param host header of that name, null if there is none
   * @param origin header of that name, null if there is none
   * @throws SecurityException with the message to the client
   */
  public static void requireThisOrigin(@Nullable String host, @Nullable String origin) {
    if (host != null && !LOOPBACK.matcher(host).matches()) {
      throw new SecurityException("the host must be localhost or 127.0.0.1, but is " + host);
    }
    if (origin != null && !origin.equalsIgnoreCase("http://" + host)) {
      throw new SecurityException("pages of another origin are not served: " + origin);
    }
  }
}
