package io.poolkeeper.testbed.tunnel.drawn;

import io.poolkeeper.testbed.tunnel.course.Demand;
import io.poolkeeper.testbed.tunnel.course.Load;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.plan.Cell;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import io.poolkeeper.testbed.tunnel.plant.Plants;
import io.poolkeeper.testbed.tunnel.plant.TaskClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToDoubleFunction;
import java.util.stream.LongStream;

/**
 * Draws plants, loads and noises. Everything in a draw follows from its seed alone. Kinds of curves
 * take turns from seed to seed, and so do the circumstances from one draw of a kind to the next, so
 * that any range of seeds holds an even mix.
 */
public final class Draws {

  /** Length of a drawn load. */
  public static final int SECONDS = 600;

  /** From this seed on draws are for reports; those below are for tuning. */
  public static final long FIRST_REPORTED = 1000;

  private static final List<Shape> SHAPES = List.of(Shape.values());

  private static final int LEAST_USERS = 50;
  private static final int MOST_USERS = 400;
  private static final int LEAST_STAGE_SECONDS = 60;
  private static final int MOST_STAGE_SECONDS = 200;
  private static final double LEAST_CAPACITY = 20;
  private static final double USUAL_CAPACITY = 400;
  private static final double MOST_CAPACITY = 2000;

  /** Few draws are that fast: the time that a run takes grows with the tasks in it. */
  private static final double FAST_DRAWS = 0.1;

  /** No size is worse than this fraction of the best, so that tasks end within minutes. */
  private static final double FLOOR = 0.01;

  private Draws() {}

  /** The draws of {@code count} seeds from {@code first} on. */
  public static List<Draw> of(long first, int count) {
    return LongStream.range(first, first + count).mapToObj(Draws::of).toList();
  }

  /** The draw of a seed. */
  public static Draw of(long seed) {
    int kinds = SHAPES.size();
    int kind = (int) Math.floorMod(seed, (long) kinds);
    Shape shape = SHAPES.get(kind);
    // Other kinds are at other turns of the circumstances, so that a few blocks hold all of them.
    Category category = Category.of(Math.floorDiv(seed, (long) kinds) + 3L * kind);
    Dice dice = new Dice(seed);
    Drawn first = Drawn.of(shape, dice, capacity(dice));
    Plant plant = first.plant(shape.word() + "-" + seed, users(dice, 1));
    Load load =
        switch (category) {
          case STEADY, BURSTS -> steady(first, plant, dice);
          case CHANGES ->
              shape == Shape.LOAD ? users(first, plant, dice) : changes(first, plant, dice);
          case OPEN -> shape == Shape.LOAD ? users(first, plant, dice) : open(plant, dice);
        };
    // A curve that depends on the load is shown as it is at the start.
    Plant shown = load.on(plant).get(0).plant();
    return new Draw(
        seed,
        shape,
        category == Category.OPEN && shape == Shape.LOAD ? Category.CHANGES : category,
        new Cell(
            shown,
            load,
            category == Category.BURSTS ? Disturbances.bursts(dice) : Disturbances.usual(dice)));
  }

  private static double capacity(Dice dice) {
    return dice.chance(FAST_DRAWS)
        ? dice.logUniform(USUAL_CAPACITY, MOST_CAPACITY)
        : dice.logUniform(LEAST_CAPACITY, USUAL_CAPACITY);
  }

  /** A number of users, most often more than a size that they are to keep busy. */
  private static int users(Dice dice, int size) {
    double drawn = dice.logUniform(LEAST_USERS, MOST_USERS);
    double enough = size * dice.uniform(1.1, 2);
    boolean saturate = dice.chance(0.85);
    return (int) Math.round(saturate ? Math.min(MOST_USERS, Math.max(drawn, enough)) : drawn);
  }

  private static Load steady(Drawn drawn, Plant plant, Dice dice) {
    int users = users(dice, plant.curve().best());
    Plant loaded = drawn.plant(plant.name(), users);
    return new Load(
        "closed-" + users,
        users + " users who never rest",
        any -> List.of(new Stage(SECONDS, loaded, new Demand.Closed(users, 0))));
  }

  private static List<Integer> lengths(Dice dice) {
    List<Integer> lengths = new ArrayList<>();
    int left = SECONDS;
    while (left > MOST_STAGE_SECONDS) {
      int most = Math.min(MOST_STAGE_SECONDS, left - LEAST_STAGE_SECONDS);
      lengths.add(dice.whole(LEAST_STAGE_SECONDS, most));
      left -= lengths.get(lengths.size() - 1);
    }
    lengths.add(left);
    return lengths;
  }

  /** Two or three plants in turn. */
  private static Load changes(Drawn first, Plant plant, Dice dice) {
    int users = users(dice, plant.curve().best());
    List<Plant> plants = new ArrayList<>(List.of(first.plant(plant.name(), users)));
    for (int other = dice.whole(1, 2); other > 0; other--) {
      Shape shape = dice.pick(SHAPES);
      double capacity =
          Math.max(
              LEAST_CAPACITY, Math.min(MOST_CAPACITY, first.capacity() * dice.logUniform(0.25, 4)));
      plants.add(
          Drawn.of(shape, dice, capacity)
              .plant("%s-%s-%s".formatted(plant.name(), plants.size() + 1, shape.word()), users));
    }
    List<Stage> stages = new ArrayList<>();
    for (int seconds : lengths(dice)) {
      Plant now = plants.get(stages.size() % plants.size());
      stages.add(new Stage(seconds, now, new Demand.Closed(users, 0)));
    }
    return new Load(
        "changes-" + users,
        "%d users whose work becomes another, %d times".formatted(users, stages.size() - 1),
        any -> stages);
  }

  /** One plant whose users become more and fewer, and its curve another. */
  private static Load users(Drawn drawn, Plant plant, Dice dice) {
    List<Stage> stages = new ArrayList<>();
    for (int seconds : lengths(dice)) {
      int users = users(dice, 1);
      stages.add(
          new Stage(
              seconds,
              drawn.plant(
                  stages.isEmpty() ? plant.name() : plant.name() + "-" + users + "-users", users),
              new Demand.Closed(users, 0)));
    }
    return new Load(
        "users-change",
        "users become more and fewer, %d times".formatted(stages.size() - 1),
        any -> stages);
  }

  private static Load open(Plant plant, Dice dice) {
    double burst = dice.chance(0.25) ? 0.8 : 0;
    List<Stage> stages = new ArrayList<>();
    List<Integer> lengths = dice.chance(0.5) ? List.of(SECONDS) : lengths(dice);
    double most = 0;
    for (int seconds : lengths) {
      double share = dice.chance(0.3) ? dice.uniform(1.05, 1.5) : dice.uniform(0.3, 0.95);
      most = Math.max(most, share);
      stages.add(
          new Stage(seconds, plant, new Demand.Open(share * plant.curve().capacity(), burst)));
    }
    return new Load(
        String.format(Locale.ROOT, "open-%.2f", most),
        String.format(
            Locale.ROOT,
            "%s at %s%.0f %% of the capacity",
            burst > 0 ? "arrivals in bursts" : "Poisson arrivals",
            stages.size() > 1 ? "up to " : "",
            most * 100),
        any -> stages);
  }

  /**
   * A curve with a scale and tasks, whose number in the system is not known yet.
   *
   * @param capacity of the best size with {@link #LEAST_USERS} tasks in the system
   */
  private record Drawn(
      Shape shape, Shape.Family family, double capacity, double cpuSeconds, List<TaskClass> tasks) {

    static Drawn of(Shape shape, Dice dice, double capacity) {
      Shape.Family family = shape.draw(dice);
      double cpu = Plants.PROCESSORS * dice.logUniform(0.01, 0.9) / capacity;
      return new Drawn(shape, family, capacity, cpu, tasks(dice));
    }

    /** Tasks alike, or some of them longer than the others. */
    private static List<TaskClass> tasks(Dice dice) {
      if (dice.chance(0.8)) {
        return List.of(new TaskClass(1, 1));
      }
      double few = dice.uniform(0.05, 0.3);
      double longer = dice.logUniform(2, 20);
      double mean = 1 - few + few * longer;
      return List.of(new TaskClass(1 - few, 1 / mean), new TaskClass(few, longer / mean));
    }

    Plant plant(String name, int users) {
      IntToDoubleFunction least = family.with(LEAST_USERS);
      double most = 0;
      for (int k = 1; k <= Curve.LARGEST; k++) {
        most = Math.max(most, least.applyAsDouble(k));
      }
      double scale = capacity / most;
      double floor = FLOOR * capacity;
      IntToDoubleFunction rate = family.with(users);
      return new Plant(
          name,
          shape.title(),
          family.law(),
          new Curve(k -> Math.max(floor, scale * rate.applyAsDouble(k))),
          cpuSeconds,
          tasks,
          "");
    }
  }
}
