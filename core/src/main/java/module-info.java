/**
 * Pools that size themselves: thread pools and limiters, the loop that tunes them, and their
 * controllers.
 */
module io.poolkeeper.core {
  requires java.management;
  requires jdk.jfr;
  requires jdk.management;
  requires static transitive org.jspecify;

  exports io.poolkeeper;
  exports io.poolkeeper.spi;

  uses io.poolkeeper.spi.ControllerProvider;
}
