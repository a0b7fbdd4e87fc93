package io.poolkeeper.spring.settings;

/**
 * The largest size of a pool that its host has.
 *
 * @param name name of the setting, as users know it
 * @param size largest size where no other one is configured
 * @param set whether somebody has set it, so that no size may exceed it
 */
public record HostMaximum(String name, int size, boolean set) {

  /** The largest size of a pool whose host has none, or one that nobody has to obey. */
  public static HostMaximum none(int standard) {
    return new HostMaximum("the default of its maximum", standard, false);
  }
}
