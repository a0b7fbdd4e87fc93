package io.poolkeeper.internal.meter;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The permits that were granted through one stripe and are held now. Not thread-safe. */
public final class Holdings {

  /** A permit for which there was no memory. */
  private static final int NOWHERE = -1;

  private @Nullable Holding[] slots = new Holding[8];

  /** Slot of the last arrival or departure: most likely free, and in a processor's cache. */
  private int last;

  /** Without memory for one more, it is not kept: a limit works without. */
  public void add(Holding permit) {
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

  public void remove(Holding permit) {
    int slot = permit.slot;
    if (slot != NOWHERE) {
      slots[slot] = null;
      last = slot;
    }
  }

  /** A free slot behind {@code slot}. */
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

  public void addTo(List<Holding> all) {
    for (Holding permit : slots) {
      if (permit != null) {
        all.add(permit);
      }
    }
  }
}
