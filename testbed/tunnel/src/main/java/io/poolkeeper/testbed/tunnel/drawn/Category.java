package io.poolkeeper.testbed.tunnel.drawn;

import java.util.List;
import java.util.Locale;

/** The circumstances under which a drawn plant is judged. */
public enum Category {
  /** Users who never rest, one plant, and noise of at most 25 %. */
  STEADY("steady work, noise up to 25 %"),
  /** The same, but the rate comes in bursts. */
  BURSTS("steady work in bursts"),
  /** The plant becomes another one, again and again. */
  CHANGES("changing work"),
  /** Arrivals that nobody holds back, below and above the capacity. */
  OPEN("open arrivals");

  /** Of ten draws of a kind of curve that follow each other. */
  private static final List<Category> TURNS =
      List.of(STEADY, BURSTS, STEADY, CHANGES, STEADY, STEADY, BURSTS, STEADY, OPEN, STEADY);

  private final String title;

  Category(String title) {
    this.title = title;
  }

  /** The category of the {@code turn}-th draw of a kind. */
  static Category of(long turn) {
    return TURNS.get((int) Math.floorMod(turn, (long) TURNS.size()));
  }

  /** Its name in results. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A description for a reader who sees it first. */
  public String title() {
    return title;
  }
}
