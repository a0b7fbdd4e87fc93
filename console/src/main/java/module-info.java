/** A page on which one watches the pools of a running program, and changes them. */
module io.poolkeeper.console {
  requires transitive io.poolkeeper.core;
  requires io.poolkeeper.record;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind;
  requires jdk.httpserver;
  requires static transitive org.jspecify;

  exports io.poolkeeper.console;

  opens io.poolkeeper.console to
      com.fasterxml.jackson.databind;
}
