/** The run record: windows and decisions of pools, in files. */
module io.poolkeeper.record {
  requires transitive io.poolkeeper.core;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind;
  requires static transitive org.jspecify;

  exports io.poolkeeper.record;
}
