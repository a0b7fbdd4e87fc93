package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Demand;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Kinds of work that take turns under 200 closed users.
 *
 * @param course the phases, each a stage
 * @param counted stages that count; before the first of them the controller gets to know the work
 */
record WorkCourse(Course course, List<Integer> counted) {

  static final int USERS = 200;
  static final int LEAST_SECONDS = 7;
  static final int MOST_SECONDS = 60;
  static final int PHASES = 23;
  static final int UNCOUNTED = 5;

  private static final int ROUNDS = 6;
  private static final int TURN_SECONDS = 5;
  private static final int MIXED_SECONDS = 2;
  private static final int PAUSE_SECONDS = 34;

  /** Draws order and lengths of the phases of a seed. No kind follows itself. */
  static WorkCourse drawn(long seed, List<WorkKind> kinds) {
    SplittableRandom random = new SplittableRandom(seed).split();
    List<Stage> stages = new ArrayList<>();
    WorkKind before = null;
    for (int phase = 0; phase < PHASES; phase++) {
      WorkKind kind;
      do {
        kind = kinds.get(random.nextInt(kinds.size()));
      } while (kind.equals(before));
      before = kind;
      int seconds = random.nextInt(LEAST_SECONDS, MOST_SECONDS + 1);
      stages.add(stage(seconds, kind.plant(), USERS));
    }
    return new WorkCourse(new Course(stages), IntStream.range(UNCOUNTED, PHASES).boxed().toList());
  }

  /** Returns rounds of short phases in a fixed order, with a pause after each round. */
  static WorkCourse rounds(List<WorkKind> kinds) {
    List<Stage> stages = new ArrayList<>();
    List<Integer> counted = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      stages.add(stage(MIXED_SECONDS, WorkKind.MIXED.plant(), USERS));
      for (WorkKind kind : kinds) {
        if (round > 0) {
          counted.add(stages.size());
        }
        stages.add(stage(TURN_SECONDS, kind.plant(), USERS));
      }
      stages.add(stage(PAUSE_SECONDS, WorkKind.MIXED.plant(), 0));
    }
    return new WorkCourse(new Course(stages), List.copyOf(counted));
  }

  private static Stage stage(int seconds, Plant plant, int users) {
    return new Stage(seconds, plant, new Demand.Closed(users, 0));
  }

  /** Returns the kind of work of a stage by name. */
  String word(int stage) {
    return course.stages().get(stage).plant().name();
  }
}
