/** Sensors for Linux: counters of threads and of the process, pressure, and disk pools. */
module io.poolkeeper.linux {
  requires transitive io.poolkeeper.core;
  requires static transitive org.jspecify;

  exports io.poolkeeper.linux;
}
