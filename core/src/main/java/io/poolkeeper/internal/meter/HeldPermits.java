package io.poolkeeper.internal.meter;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The held permits of one stripe. Not thread-safe. */
public final class HeldPermits {

  /** Slot of a permit that was not stored for lack of memory. */
  private static final int NOWHERE = -1;

  private @Nullable HeldPermit[] slots = new HeldPermit[8];

  /** Slot of the last change: most likely free, and in the cache of a processor. */
  private int last;

  /** Stores a permit; without memory it is not stored, and the limit works without that. */
  public void add(HeldPermit permit) {
    int slot = last;
    if (slots[slot] != null) {
      slot = find(slot);
      permit.slot = slot;
      if (slot == NOWHERE) {
        return;
      }
      last = slot;
    }
    permit.slot = slot;
    slots[slot] = permit;
  }

  public void remove(HeldPermit permit) {
    int slot = permit.slot;
    if (slot != NOWHERE) {
      slots[slot] = null;
      last = slot;
    }
  }

  /** Returns a free slot behind {@code slot}. */
  private int find(int slot) {
    int length = slots.length;
    for (int i = 1; i < length; i++) {
      int next = (slot + i) & (length - 1);
      if (slots[next] == null) {
        return next;
      }
    }
    try {
      slots = Arrays.copyOf(slots, 2 * length);
      return length;
    } catch (OutOfMemoryError e) {
      return NOWHERE;
    }
  }

  public void addTo(List<HeldPermit> all) {
    for (HeldPermit permit : slots) {
      if (permit != null) {
        all.add(permit);
      }
    }
  }
}
