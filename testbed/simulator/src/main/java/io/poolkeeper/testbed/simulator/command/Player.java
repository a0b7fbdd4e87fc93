package io.poolkeeper.testbed.simulator.command;

import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.testbed.simulator.Result;
import io.poolkeeper.testbed.simulator.Simulation;
import io.poolkeeper.testbed.simulator.file.Governor;
import io.poolkeeper.testbed.simulator.file.ModelFile;
import io.poolkeeper.testbed.simulator.file.RunPlan;
import io.poolkeeper.testbed.simulator.file.RunPlan.Method;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Plays one run of a model, and records it if that is wanted. */
final class Player {

  /** As many windows at most of a pool that nothing resizes. */
  private static final int MOST_WINDOWS = 3600;

  /** Batches of a run whose intervals come from other runs: as few as there can be. */
  private static final int NO_BATCHES = 2;

  /** Listener that hears how far a run has come, and says whether it is to go on. */
  interface Progress {

    /**
     * Hears that the run has come so far.
     *
     * @param seconds virtual time of the run, warm-up included
     * @return whether the run goes on
     */
    boolean reached(double seconds);
  }

  private final ModelFile file;
  private final int repetition;
  private final Progress progress;
  private double reached;

  Player(ModelFile file, int repetition, Progress progress) {
    this.file = file;
    this.repetition = repetition;
    this.progress = progress;
  }

  /**
   * Plays the run without a record.
   *
   * @return empty if it was stopped before there was anything to tell
   */
  Optional<Result> play() {
    return run(simulation());
  }

  /**
   * Plays the run and records it in a folder that is not there yet.
   *
   * @throws IOException naming the file that cannot be written
   */
  Optional<Result> record(Path folder, RunRecord.Command command) throws IOException {
    try (RunRecord record = new RunRecord(folder, file, repetition, command)) {
      Simulation simulation = simulation().onResponse(record.load()).onResize(record.resizes());
      file.pools().forEach((name, pool) -> listen(simulation, name, record.pools()));
      try {
        Optional<Result> result = run(simulation);
        boolean whole = result.isPresent() && whole(result.get());
        record.finish(whole ? "complete" : "interrupted", whole ? file.run().seconds() : reached);
        return result;
      } catch (IllegalStateException e) {
        record.fail(String.valueOf(e.getMessage()));
        throw e;
      }
    }
  }

  private Simulation simulation() {
    RunPlan plan = file.run();
    Simulation simulation =
        Simulation.of(file.model())
            .seed(seed(plan.seed(), repetition))
            .warmup(plan.warmUp())
            .responseBounds(plan.bounds())
            .batches(plan.method() == Method.BATCHES ? plan.parts() : NO_BATCHES)
            .watch(
                seconds -> {
                  reached = seconds;
                  return progress.reached(seconds);
                });
    for (Map.Entry<String, Governor> each : file.governors().entrySet()) {
      Governor governor = each.getValue();
      if (governor.policy()) {
        simulation.policy(each.getKey(), governor::makePolicy);
      } else {
        simulation.control(each.getKey(), loop -> governed(loop, governor));
      }
      governor
          .objective()
          .bound()
          .ifPresent(bound -> simulation.goodputBound(each.getKey(), bound));
    }
    return simulation;
  }

  /** Seeds of replications differ by more than one, so that those of two models do not overlap. */
  private static long seed(int first, int repetition) {
    return first * 1_000_003L + repetition;
  }

  private static ControlLoop.Builder governed(ControlLoop.Builder loop, Governor governor) {
    return loop.controller(governor.makeController()).window(nanos(governor.window()));
  }

  private void listen(Simulation simulation, String name, ControlListener listener) {
    Governor governor = file.governors().get(name);
    if (governor == null || governor.policy()) {
      Duration window = nanos(Math.max(1, Math.ceil(file.run().seconds() / MOST_WINDOWS)));
      simulation.observe(name, loop -> loop.window(window).listener(listener));
    } else {
      simulation.control(name, loop -> governed(loop, governor).listener(listener));
    }
  }

  private static Duration nanos(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  private Optional<Result> run(Simulation simulation) {
    Result result = simulation.run(file.run().counted());
    // Of replications only whole ones are alike; of batches those that ended are.
    return whole(result) || (file.run().method() == Method.BATCHES && result.seconds() > 0)
        ? Optional.of(result)
        : Optional.empty();
  }

  private boolean whole(Result result) {
    return result.seconds() > file.run().counted() * (1 - 1e-9);
  }
}
