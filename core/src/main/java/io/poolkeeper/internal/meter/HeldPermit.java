package io.poolkeeper.internal.meter;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import org.jspecify.annotations.Nullable;

/**
 * The internal part of a permit: its times and whether it was returned. It outlives the object that
 * the user holds, so that a lost permit is noticed. It is created before the permit is taken, so
 * that returning a permit needs no memory.
 */
public final class HeldPermit extends PhantomReference<Object> {

  private static final int HELD = 0;

  /** Written off: not counted, though its holder has not returned it. */
  private static final int WRITTEN_OFF = 1;

  private static final int RETURNED = 2;

  public final long asked;
  public long granted;

  /** The stripe that granted it, and its slot there. */
  public @Nullable Stripe stripe;

  int slot;

  /** Changes only in that stripe; other readers may see an old value. */
  private int state;

  private final @Nullable Acquisition acquisition;

  /**
   * @param permit the object that the user holds
   * @param unreachable queue that receives this when nothing refers to the permit any more
   * @param asked time of the request; also the time of the grant unless it has to wait
   * @param acquisition thread and stack of the request, or null if not recorded
   */
  public HeldPermit(
      Object permit,
      ReferenceQueue<Object> unreachable,
      long asked,
      @Nullable Acquisition acquisition) {
    super(permit, unreachable);
    this.asked = asked;
    this.granted = asked;
    this.acquisition = acquisition;
  }

  /** Returns the time of the request. */
  public long asked() {
    return asked;
  }

  /** Returns the time of the grant. */
  public long granted() {
    return granted;
  }

  /** Returns thread and stack of the request, or null if not recorded. */
  public @Nullable Acquisition acquisition() {
    return acquisition;
  }

  /** Returns whether it was returned; a return by another thread may not be visible yet. */
  public boolean returned() {
    return state == RETURNED;
  }

  boolean held() {
    return state == HELD;
  }

  /** Returns a permit that counts; true at most once. */
  public boolean giveBack() {
    return change(HELD, RETURNED);
  }

  /** Writes it off; true at most once, and never after {@link #giveBack}. */
  public boolean writeOff() {
    return change(HELD, WRITTEN_OFF);
  }

  /** Returns a permit that was written off; true at most once. */
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
