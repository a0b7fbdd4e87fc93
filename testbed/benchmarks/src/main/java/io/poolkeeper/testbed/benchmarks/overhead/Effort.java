package io.poolkeeper.testbed.benchmarks.overhead;

import picocli.CommandLine.Option;

/** Options that set how long a benchmark may take. */
final class Effort {

  @Option(names = "--quick", description = "fewer and shorter turns, for a first impression")
  boolean quick;

  @Option(
      names = "--forks",
      paramLabel = "N",
      description = "virtual machines for each figure (default 5, quick 2)")
  int forks;

  int forks() {
    return forks > 0 ? forks : quick ? 2 : 5;
  }

  int warmUps() {
    return quick ? 20 : 60;
  }

  int rounds() {
    return quick ? 20 : 60;
  }

  int iterations() {
    return quick ? 3 : 6;
  }
}
