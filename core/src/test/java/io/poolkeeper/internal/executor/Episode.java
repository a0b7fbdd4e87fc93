package io.poolkeeper.internal.executor;

import io.poolkeeper.internal.limiter.Gate;
import io.poolkeeper.internal.meter.Lane;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Two threads that do something to one gate at the same instant; again and again, each time with a
 * gate all of whose permits are held, and two open lanes that are empty.
 */
public final class Episode {

  private static final int EPISODES = 20_000;
  private static final int FEWEST = 200;
  private static final long LONGEST = TimeUnit.SECONDS.toNanos(1);

  /** So that now one is a bit ahead and now the other. */
  private static final int MOST_SPINS = 60;

  public final Gate gate;
  public final Lane first = new Lane();
  public final Lane second = new Lane();
  public final Lane third = new Lane();
  private final Partner partner;

  /** Steps of an episode. */
  public interface Script {
    void play(Episode episode);
  }

  private Episode(int limit, Partner partner) {
    this.partner = partner;
    gate = new Gate(limit);
    enter(third);
    enter(third);
    leave(first);
    leave(second);
    for (int i = 0; i < limit; i++) {
      enter(third);
    }
    if (!first.open || !second.open || third.open) {
      throw new IllegalStateException("two lanes should be open");
    }
  }

  /** Plays a script as often as a second allows, on a busy machine still {@value #FEWEST} times. */
  public static void many(int limit, Script script) throws InterruptedException {
    Partner partner = new Partner();
    Thread thread = new Thread(partner);
    thread.start();
    try {
      long start = System.nanoTime();
      for (int i = 0; i < EPISODES; i++) {
        if (i >= FEWEST && System.nanoTime() - start > LONGEST) {
          break;
        }
        script.play(new Episode(limit, partner));
      }
    } finally {
      partner.stopped = true;
      thread.join();
    }
  }

  public boolean enter(Lane lane) {
    lane.enterNext();
    boolean entered = gate.tryEnter(lane);
    lane.exit();
    return entered || gate.tryEnterFromAll();
  }

  public void leave(Lane lane) {
    lane.enterNext();
    boolean stays = gate.leave(lane);
    lane.exit();
    if (!stays) {
      gate.left(lane, 0);
    }
  }

  /** Does both at the same time, and returns when both are done. */
  public void meanwhile(Runnable here, Runnable there) {
    partner.with(here, there);
  }

  private static final class Partner implements Runnable {
    private static final int NOTHING = 0;
    private static final int TOLD = 1;
    private static final int READY = 2;
    private static final int GO = 3;

    private final SplittableRandom random = new SplittableRandom(1);
    private volatile boolean stopped;
    private volatile int phase;
    private Runnable action = () -> {};

    void with(Runnable here, Runnable there) {
      action = there;
      phase = TOLD;
      await(READY);
      int spins = random.nextInt(MOST_SPINS);
      phase = GO;
      for (int i = 0; i < spins; i++) {
        Thread.onSpinWait();
      }
      here.run();
      await(NOTHING);
    }

    @Override
    public void run() {
      while (await(TOLD)) {
        phase = READY;
        await(GO);
        action.run();
        phase = NOTHING;
      }
    }

    private boolean await(int wanted) {
      for (int i = 1; phase != wanted; i++) {
        if (stopped) {
          return false;
        }
        if (i % 1000 == 0) {
          LockSupport.parkNanos(1_000);
        } else {
          Thread.onSpinWait();
        }
      }
      return true;
    }
  }
}
