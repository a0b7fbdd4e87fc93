package io.poolkeeper.testbed.benchmarks.integrations;

import java.sql.SQLException;
import org.apache.catalina.LifecycleException;

/** A pool of a host under a backlog: more tasks wait than it may run. */
interface LoadedHost extends AutoCloseable {

  /** Asks for a size; it may take effect later. */
  void resize(int size);

  /** Returns the tasks that run, or the connections in use. */
  int inUse();

  @Override
  void close() throws SQLException, LifecycleException;
}
