package io.poolkeeper.testbed.simulator.engine.flow;

import io.poolkeeper.testbed.simulator.engine.event.Events;
import io.poolkeeper.testbed.simulator.engine.event.Time;
import io.poolkeeper.testbed.simulator.engine.station.Server;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;

/** The instructions that there are. */
final class Ops {

  private Ops() {}

  /** Goes on with the next one. */
  static final Op NOTHING = (task, next, now) -> next;

  /** Work at a station. */
  record Use(Server server, ContinuousSampler work) implements Op {
    @Override
    public int begin(int task, int next, long now) {
      server.enter(task, work.sample(), now);
      return WAIT;
    }

    @Override
    public void end(long now) {
      server.done(now);
    }
  }

  /** A delay, seconds. */
  record Sleep(ContinuousSampler time, Events events) implements Op {
    @Override
    public int begin(int task, int next, long now) {
      events.finishStep(task, now + Time.nanos(time.sample()));
      return WAIT;
    }
  }

  /** A task at another tier, or under a pool, for which this one waits. */
  record Call(Target target, Flow flow) implements Op {
    @Override
    public int begin(int task, int next, long now) {
      flow.call(task, target, now);
      return WAIT;
    }
  }

  /** The answer, before the task has ended: whoever waits for it goes on. */
  record Answer(Flow flow) implements Op {
    @Override
    public int begin(int task, int next, long now) {
      flow.answer(task, now);
      return next;
    }
  }

  /** Goes on with the next one with a probability, else with another. */
  record Branch(UniformRandomProvider random, double probability, int otherwise) implements Op {
    @Override
    public int begin(int task, int next, long now) {
      return random.nextDouble() < probability ? next : otherwise;
    }
  }

  /** Goes on with another. */
  record Jump(int to) implements Op {
    @Override
    public int begin(int task, int next, long now) {
      return to;
    }
  }
}
