package io.poolkeeper.internal.meter;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import org.jspecify.annotations.Nullable;

/**
 * The library's half of a permit: its times, and whether it has come back. It outlives the half
 * that the user holds, so that one which nobody refers to any more is noticed. Created before the
 * permit is taken: whoever has one needs no memory to give it back.
 */
public final class Holding extends PhantomReference<Object> {

  private static final int HELD = 0;

  /** Counts no longer, though its holder has not given it back. */
  private static final int WRITTEN_OFF = 1;

  private static final int RETURNED = 2;

  public final long asked;
  public long granted;

  /** The stripe through which it was granted, and its slot there. */
  public @Nullable Stripe stripe;

  int slot;

  /** Changes only in that stripe; others who look at it may see what was. */
  private int state;

  private final @Nullable Acquisition acquisition;

  /**
   * @param permit the user's half
   * @param unreachable where this is found when nobody refers to that any more
   * @param asked time at which it was asked for; the time of its grant too, unless it has to wait
   * @param acquisition who asked, or null where that is not recorded
   */
  public Holding(
      Object permit,
      ReferenceQueue<Object> unreachable,
      long asked,
      @Nullable Acquisition acquisition) {
    super(permit, unreachable);
    this.asked = asked;
    this.granted = asked;
    this.acquisition = acquisition;
  }

  /** Time at which it was asked for. */
  public long asked() {
    return asked;
  }

  /** Time at which it was granted. */
  public long granted() {
    return granted;
  }

  /** Returns the acquisition, or null where that is not recorded. */
  public @Nullable Acquisition acquisition() {
    return acquisition;
  }

  /** Whether it was given back; where another thread did so, maybe not yet. */
  public boolean returned() {
    return state == RETURNED;
  }

  boolean held() {
    return state == HELD;
  }

  /** Gives back a permit that counts; true once at most. */
  public boolean giveBack() {
    return change(HELD, RETURNED);
  }

  /** Writes it off; true once at most, and never after {@link #giveBack}. */
  public boolean writeOff() {
    return change(HELD, WRITTEN_OFF);
  }

  /** Gives back a permit that was written off; true once at most. */
  public boolean giveBackLate() {
    return change(WRITTEN_OFF, RETURNED);
  }

  private boolean change(int from, int to) {
    boolean changes = state == from;
    if (changes) {
      state = to;
    }
    return changes;
  }
}
