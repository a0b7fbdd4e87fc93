package io.poolkeeper.testbed.commands;

/** Line that a command prints where Ctrl-C or a request to end stops it. */
public final class StopLine implements AutoCloseable {

  private final Thread hook;

  /**
   * Prints it to standard error when the process has to end, until this is closed.
   *
   * @param text state that the stop leaves behind
   */
  public StopLine(String text) {
    hook =
        new Thread(
            () -> {
              System.err.println();
              System.err.println("poolkeeper: stopped; " + text);
            },
            "stop-line");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Ends it, once the command is over. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is being stopped, and the line is there.
    }
  }
}
