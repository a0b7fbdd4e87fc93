package io.poolkeeper.testbed.simulator.engine.flow;

import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.simulator.engine.event.Randoms;
import io.poolkeeper.testbed.simulator.engine.pool.Replica;
import io.poolkeeper.testbed.simulator.engine.pool.SimulatedPool;
import io.poolkeeper.testbed.simulator.engine.station.Server;
import io.poolkeeper.testbed.simulator.model.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.apache.commons.rng.UniformRandomProvider;

/** Turns the steps of one replica for one request into instructions. */
public final class Compiler {
  private final Replica replica;
  private final Replica shared;
  private final Function<String, Target> targets;
  private final Flow flow;
  private final Randoms randoms;
  private final String use;
  private int streams;

  /**
   * @param shared owns what the replica itself has not
   * @param targets where a call to a tier leads to
   * @param use begins the names of the streams of random numbers
   */
  public Compiler(
      Replica replica,
      Replica shared,
      Function<String, Target> targets,
      Flow flow,
      Randoms randoms,
      String use) {
    this.replica = replica;
    this.shared = shared;
    this.targets = targets;
    this.flow = flow;
    this.randoms = randoms;
    this.use = use;
  }

  /** Compiles a request: its steps, and the time for which its worker is held after the answer. */
  public Op[] compile(Collection<Step> steps, Optional<Distribution> linger) {
    List<Op> ops = new ArrayList<>();
    add(steps, ops);
    if (linger.isPresent()) {
      ops.add(new Ops.Answer(flow));
      ops.add(new Ops.Sleep(randoms.sampler(linger.get(), stream()), flow.events));
    }
    return ops.toArray(Op[]::new);
  }

  private void add(Collection<Step> steps, List<Op> ops) {
    for (Step step : steps) {
      add(step, ops);
    }
  }

  private void add(Step step, List<Op> ops) {
    if (step instanceof Step.Use work) {
      Server server = owned(replica.servers, shared.servers, work.station());
      ops.add(new Ops.Use(server, randoms.sampler(work.work(), stream())));
    } else if (step instanceof Step.Sleep sleep) {
      ops.add(new Ops.Sleep(randoms.sampler(sleep.time(), stream()), flow.events));
    } else if (step instanceof Step.Call call) {
      ops.add(new Ops.Call(targets.apply(call.tier()), flow));
    } else if (step instanceof Step.Hold hold) {
      SimulatedPool pool = owned(replica.pools, shared.pools, hold.pool());
      Program part = flow.program(pool, null);
      part.ops = compile(hold.steps(), Optional.empty());
      ops.add(new Ops.Call(Target.of(part), flow));
    } else if (step instanceof Step.Repeat repeat) {
      addRepeat(repeat, ops);
    } else {
      addCases(((Step.Choose) step).cases(), ops);
    }
  }

  private void addRepeat(Step.Repeat repeat, List<Op> ops) {
    int whole = (int) repeat.times();
    for (int i = 0; i < whole; i++) {
      add(repeat.step(), ops);
    }
    double rest = repeat.times() - whole;
    if (rest > 0) {
      int branch = ops.size();
      UniformRandomProvider random = randoms.stream(stream());
      ops.add(Ops.NOTHING);
      add(repeat.step(), ops);
      ops.set(branch, new Ops.Branch(random, rest, ops.size()));
    }
  }

  private void addCases(List<Step.Case> cases, List<Op> ops) {
    UniformRandomProvider random = randoms.stream(stream());
    List<Integer> exits = new ArrayList<>();
    double left = 1;
    for (int i = 0; i < cases.size(); i++) {
      Step.Case each = cases.get(i);
      int branch = ops.size();
      ops.add(Ops.NOTHING);
      add(each.steps(), ops);
      exits.add(ops.size());
      ops.add(Ops.NOTHING);
      if (i < cases.size() - 1) {
        // Given that none of the cases before it was chosen.
        double probability = left > 0 ? Math.min(1, each.probability() / left) : 0;
        ops.set(branch, new Ops.Branch(random, probability, ops.size()));
        left -= each.probability();
      }
    }
    for (int exit : exits) {
      ops.set(exit, new Ops.Jump(ops.size()));
    }
  }

  private String stream() {
    streams++;
    return use + " step " + streams;
  }

  private static <T> T owned(Map<String, T> own, Map<String, T> others, String name) {
    T found = own.get(name);
    return Objects.requireNonNull(found != null ? found : others.get(name));
  }
}
