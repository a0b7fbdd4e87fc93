/** A virtual clock and pool, and the tests that every controller must pass. */
module io.poolkeeper.testkit {
  requires transitive io.poolkeeper.core;
  requires transitive java.sql;
  requires transitive org.assertj.core;
  requires transitive org.junit.jupiter.api;
  requires static transitive org.jspecify;

  exports io.poolkeeper.testkit;
}
