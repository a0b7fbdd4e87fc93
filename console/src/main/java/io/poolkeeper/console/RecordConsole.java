package io.poolkeeper.console;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;

/**
 * The page of the {@link Console} for run records: it plays what happened, with the decisions and
 * their reasons. Records are those of {@code RunRecorder}, of experiments and of simulations.
 *
 * <p>It listens on the loopback interface alone and needs the token in its address, as a console of
 * running pools does. Records are read once; nothing is written.
 */
public final class RecordConsole implements AutoCloseable {

  private final ConsoleServer server;
  private final int pools;

  private RecordConsole(ConsoleServer server, int pools) {
    this.server = server;
    this.pools = pools;
  }

  /**
   * Reads a record and opens its page.
   *
   * @param record folder of a run, a file of windows or decisions in it, or a folder of up to 100
   *     runs
   * @param port 0 for any that is free
   * @throws java.net.BindException naming the port if it cannot be had
   * @throws IOException in one line, naming the file and what is missing or wrong in it
   */
  public static RecordConsole open(Path record, int port) throws IOException {
    RecordedPools read = RecordedPools.read(record);
    return new RecordConsole(new ConsoleServer(port, Token.random(), read), read.size());
  }

  /** Address of the page, with the token in its fragment, which browsers send to nobody. */
  public URI address() {
    return server.address();
  }

  /** Number of pools that the page shows. */
  public int pools() {
    return pools;
  }

  /** Closes the page. */
  @Override
  public void close() {
    server.close();
  }
}
