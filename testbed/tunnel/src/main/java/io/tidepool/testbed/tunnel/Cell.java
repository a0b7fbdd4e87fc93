package io.tidepool.testbed.tunnel;

/** What is done to the controllers in a run, but for its seed. */
record Cell(Plant plant, Load load, Noise noise) {

  /** The cell in words: {@code database, closed-100, 8%}. */
  @Override
  public String toString() {
    return plant.name() + ", " + load.name() + ", " + noise.word();
  }
}
