package io.poolkeeper.testbed.benchmarks.simulator;

import java.util.ArrayDeque;
import umontreal.ssj.randvar.ExponentialGen;
import umontreal.ssj.randvar.RandomVariateGen;
import umontreal.ssj.rng.MRG32k3a;
import umontreal.ssj.simevents.Event;
import umontreal.ssj.simevents.Simulator;

/**
 * The closed machine in SSJ, written as its guide teaches: a class an event, a list of waiting
 * users, SSJ's own generator and variates, and its default list of events.
 */
final class SsjMachine {

  private final Simulator simulator = new Simulator();
  private final RandomVariateGen think;
  private final RandomVariateGen service;
  private final ArrayDeque<User> waiting = new ArrayDeque<>();
  private int free;
  private long completions;
  private long events;

  /**
   * @param think mean think time, seconds, above 0
   * @param service mean service time, seconds
   */
  SsjMachine(int users, int servers, double think, double service) {
    this.think = new ExponentialGen(new MRG32k3a(), 1 / think);
    this.service = new ExponentialGen(new MRG32k3a(), 1 / service);
    free = servers;
    simulator.init();
    for (int i = 0; i < users; i++) {
      new User().arrival.schedule(this.think.nextDouble());
    }
  }

  /** Goes on for some virtual seconds. */
  void run(double seconds) {
    End end = new End();
    end.schedule(seconds);
    simulator.start();
  }

  long completions() {
    return completions;
  }

  long events() {
    return events;
  }

  private final class User {
    private final Arrival arrival = new Arrival(this);
    private final Departure departure = new Departure(this);
  }

  private final class Arrival extends Event {
    private final User user;

    Arrival(User user) {
      super(simulator);
      this.user = user;
    }

    @Override
    public void actions() {
      events++;
      if (free > 0) {
        free--;
        user.departure.schedule(service.nextDouble());
      } else {
        waiting.addLast(user);
      }
    }
  }

  private final class Departure extends Event {
    private final User user;

    Departure(User user) {
      super(simulator);
      this.user = user;
    }

    @Override
    public void actions() {
      events++;
      completions++;
      User next = waiting.pollFirst();
      if (next == null) {
        free++;
      } else {
        next.departure.schedule(service.nextDouble());
      }
      user.arrival.schedule(think.nextDouble());
    }
  }

  private final class End extends Event {
    End() {
      super(simulator);
    }

    @Override
    public void actions() {
      simulator.stop();
    }
  }
}
