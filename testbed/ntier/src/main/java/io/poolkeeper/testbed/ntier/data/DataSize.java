package io.poolkeeper.testbed.ntier.data;

import io.poolkeeper.testbed.commands.Names;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The number of rows of the generated data.
 *
 * @param users 20 or more; every twentieth is an author, who moderates as well
 * @param stories 20 or more; the last tenth is current, the others are old
 * @param comments 1 a story or more
 */
public record DataSize(int users, int stories, int comments) {

  /** Categories of stories. */
  public static final int CATEGORIES = 20;

  private static final int MINIMUM = 20;
  private static final int MAXIMUM = 100_000_000;

  private static final Map<String, DataSize> NAMED =
      new TreeMap<>(
          Map.of(
              "small", new DataSize(500, 500, 5_000),
              "medium", new DataSize(5_000, 5_000, 50_000),
              "large", new DataSize(50_000, 50_000, 500_000)));

  /**
   * @throws IllegalArgumentException naming the number that is out of its range
   */
  public DataSize {
    require("users", users, MINIMUM);
    require("stories", stories, MINIMUM);
    require("comments", comments, stories);
  }

  private static void require(String name, int number, int minimum) {
    if (number < minimum || number > MAXIMUM) {
      throw new IllegalArgumentException(
          "%s must be within %d..%d, but is %d".formatted(name, minimum, MAXIMUM, number));
    }
  }

  /**
   * Returns the size of a name: small, medium or large.
   *
   * @throws IllegalArgumentException with the nearest name if there is none of this name
   */
  public static DataSize of(String name) {
    return Objects.requireNonNull(NAMED.get(Names.require("size", name, NAMED.keySet())));
  }

  /** Users with access to moderation: those with the ids 1 to this. */
  public int authors() {
    return users / 20;
  }

  /** Stories that are not old: those with the highest ids. */
  public int currentStories() {
    return stories / 10;
  }

  /** Submissions that wait for a decision. */
  public int submissions() {
    return stories / 5;
  }
}
