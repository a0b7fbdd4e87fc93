package io.poolkeeper.testbed.rocksdb;

import io.poolkeeper.testbed.commands.Names;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Kinds of writes, named as those of db_bench. */
enum Workload {
  /** Keys in ascending order in each family. */
  FILLSEQ(false, 0, false),
  /** Random keys of so many that hardly any is written twice. */
  FILLRANDOM(true, 0, false) {
    @Override
    long leastKeys() {
      return 1L << 40;
    }
  },
  /** Random keys of those that were written, and of {@value Load#LEAST_KEYS} at least. */
  OVERWRITE(true, 0, false),
  /** The same while two threads read random keys. */
  OVERWRITE_READERS(true, 2, false),
  /** The same while fio writes to the same disk. */
  OVERWRITE_NEIGHBOUR(true, 0, true);

  private final boolean random;
  private final int readers;
  private final boolean neighbour;

  Workload(boolean random, int readers, boolean neighbour) {
    this.random = random;
    this.readers = readers;
    this.neighbour = neighbour;
  }

  /**
   * Returns the workload of a name in configurations, such as {@code fillseq}.
   *
   * @throws IllegalArgumentException with the nearest name if there is none
   */
  static Workload named(String name) {
    List<String> names = Arrays.stream(values()).map(Workload::text).toList();
    return values()[names.indexOf(Names.require("workload", name, names))];
  }

  /** Returns the name in configurations. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the number of keys of a family that random ones are among, at least. */
  long leastKeys() {
    return Load.LEAST_KEYS;
  }

  boolean random() {
    return random;
  }

  int readers() {
    return readers;
  }

  boolean neighbour() {
    return neighbour;
  }
}
