package io.poolkeeper.testbed.tunnel.course;

import io.poolkeeper.testbed.tunnel.plant.Curve;
import java.util.List;

/**
 * The stages of a load on a plant, with the optimum of each: what there was to be won in a run.
 * Times are seconds since its start.
 */
public final class Course {

  private final List<Stage> stages;
  private final int largest;
  private final List<Optimum> optima;
  private final int[] starts;
  private final int bestFixed;

  /** Of these stages, one after the other, for a pool of any size. */
  public Course(List<Stage> stages) {
    this(stages, Curve.LARGEST);
  }

  /**
   * Of these stages, one after the other.
   *
   * @param largest size that the pool may have, from 1 to {@link Curve#LARGEST}
   */
  public Course(List<Stage> stages, int largest) {
    this.stages = List.copyOf(stages);
    this.largest = largest;
    this.optima = stages.stream().map(stage -> Optimum.of(stage, largest)).toList();
    this.starts = new int[stages.size() + 1];
    for (int i = 0; i < stages.size(); i++) {
      starts[i + 1] = starts[i] + stages.get(i).seconds();
    }
    this.bestFixed = findBestFixed();
  }

  private int findBestFixed() {
    if (stages.size() == 1) {
      return optima.get(0).best();
    }
    int best = 1;
    for (int size = 2; size <= largest; size++) {
      if (completions(size) > completions(best) * (1 + Curve.EQUAL)) {
        best = size;
      }
    }
    return best;
  }

  /** Completions in the long run with a pool that always has {@code size}. */
  private double completions(int size) {
    double sum = 0;
    for (int i = 0; i < stages.size(); i++) {
      sum += stages.get(i).seconds() * optima.get(i).throughput(size);
    }
    return sum;
  }

  /** The largest size that the pool may have. */
  public int largest() {
    return largest;
  }

  /** Its stages, in the order of time. */
  public List<Stage> stages() {
    return stages;
  }

  /** Returns what could be reached in a stage. */
  public Optimum optimum(int stage) {
    return optima.get(stage);
  }

  /** When a stage begins, seconds. */
  public int start(int stage) {
    return starts[stage];
  }

  /** When a stage ends, seconds. */
  public int end(int stage) {
    return starts[stage + 1];
  }

  /** Returns its length in seconds. */
  public int seconds() {
    return starts[stages.size()];
  }

  /** The stage at a time; the last one at the end. */
  public int stageAt(double time) {
    int stage = 0;
    while (stage + 1 < stages.size() && time >= starts[stage + 1]) {
      stage++;
    }
    return stage;
  }

  /** The size that would have been best had it been kept all the time. */
  public int bestFixed() {
    return bestFixed;
  }

  /**
   * Completions with the best size of each stage, as a multiple of those at {@link #bestFixed}:
   * what there is to be won by changing the size.
   */
  public double headroom() {
    double most = 0;
    for (int i = 0; i < stages.size(); i++) {
      most += stages.get(i).seconds() * optima.get(i).most();
    }
    return most / completions(bestFixed);
  }

  /**
   * By what factor the {@link Optimum#enough} of the stages differ when the plant becomes another;
   * 1 where it stays the same.
   */
  public double spread() {
    if (stages.stream().map(Stage::plant).distinct().count() == 1) {
      return 1;
    }
    int[] sizes = optima.stream().mapToInt(Optimum::enough).sorted().toArray();
    return (double) sizes[sizes.length - 1] / sizes[0];
  }
}
