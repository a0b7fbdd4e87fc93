package io.poolkeeper.controllers.curves;

/** Measurements that a tuned constant was chosen with. Plants with seeds below 1000 are for it. */
public enum TuningBasis {
  /** 42 cells of the wind tunnel, by the command at the top of docs/graveyard.md. */
  TUNNEL("42 cells of the wind tunnel"),

  /** The same cells with a rate that warms up; docs/graveyard.md, "Once the level was followed". */
  WARM_UP("42 cells of the wind tunnel with a warm-up"),

  /** 60 to 200 drawn plants; docs/graveyard.md, "Curves that nobody has seen". */
  DRAWN("drawn plants, seeds below 1000"),

  /** Hours of constant work: {@code ./poolkeeper bench settling}. */
  REST("hours of constant work"),

  /** Servers and load on the same two processors: experiments/server-architectures. */
  SHARED_PROCESSORS("servers that share two processors with their load"),

  /** Reports that fill the heap: the phases of experiments/real-work. */
  HEAP("work that fills the heap"),

  /** Limiters in front of a downstream server with faults. */
  LIMITS("limits that reject, before a downstream server"),

  /** {@code ./poolkeeper bench overload}, seeds below 1000. */
  OVERLOAD("drawn plants under overload, seeds below 1000"),

  /**
   * Kinds as in {@code ./poolkeeper bench turns}, in other orders, and drawn plants beside them.
   */
  TURNS("kinds of work that take turns, and drawn plants"),

  /** Servers that share a database, and drawn plants beside them; docs/graveyard.md. */
  SHARED_DATABASE("servers that share a database, and drawn plants"),

  /** A convention of statistics or an argument in the entry; not chosen by measurements. */
  ARGUMENT("an argument, not a measurement");

  private final String text;

  TuningBasis(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
