package io.poolkeeper.testbed.simulator.engine.flow;

import io.poolkeeper.testbed.simulator.engine.pool.Replica;
import io.poolkeeper.testbed.simulator.model.Balancer;
import org.apache.commons.rng.UniformRandomProvider;
import org.jspecify.annotations.Nullable;

/** Destination of a call: for each replica of a tier the program of one request. */
public final class Target {

  private final @Nullable Replicas replicas;
  private final Program[] programs;

  public Target(@Nullable Replicas replicas, Program[] programs) {
    this.replicas = replicas;
    this.programs = programs;
  }

  /** Always the same program. */
  static Target of(Program program) {
    return new Target(null, new Program[] {program});
  }

  /** The program of the replica whose turn it is. */
  Program choose() {
    return replicas == null || programs.length == 1 ? programs[0] : programs[replicas.choose()];
  }

  /** The replicas of a tier behind their balancer. */
  public static final class Replicas {

    private final Replica[] replicas;
    private final Balancer balancer;
    private final UniformRandomProvider random;
    private int turn = -1;

    public Replicas(Replica[] replicas, Balancer balancer, UniformRandomProvider random) {
      this.replicas = replicas;
      this.balancer = balancer;
      this.random = random;
    }

    public Replica[] all() {
      return replicas;
    }

    private int choose() {
      return switch (balancer) {
        case RANDOM -> random.nextInt(replicas.length);
        case ROUND_ROBIN -> {
          turn = (turn + 1) % replicas.length;
          yield turn;
        }
        case LEAST_CONNECTIONS -> {
          int least = (turn + 1) % replicas.length;
          for (int i = 2; i <= replicas.length; i++) {
            int other = (turn + i) % replicas.length;
            if (replicas[other].requests < replicas[least].requests) {
              least = other;
            }
          }
          turn = least;
          yield least;
        }
      };
    }
  }
}
