package io.poolkeeper.testbed.tunnel.drawn;

import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.RecordedCurves;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;

/**
 * The kinds of curves that are drawn. A kind draws its parameters and answers with a rate by the
 * number of tasks in service; only the shape counts, the scale is drawn elsewhere.
 */
public enum Shape {
  /** A Gaussian process with a smooth kernel, half of them on top of a rise. */
  SMOOTH("a random smooth curve") {
    @Override
    Family draw(Dice dice) {
      double scale = dice.uniform(0.3, 1.2);
      double length = dice.uniform(0.6, 2);
      IntToDoubleFunction curve = GaussianCurves.smooth(dice, length);
      return fixed(
          words("Gaussian process, deviation %.2f, length %.2f", scale, length),
          times(trend(dice), k -> Math.exp(scale * curve.applyAsDouble(k))));
    }
  },
  /** A Gaussian process with an exponential kernel, half of them on top of a rise. */
  ROUGH("a random rough curve") {
    @Override
    Family draw(Dice dice) {
      double scale = dice.uniform(0.3, 1);
      double length = dice.uniform(0.3, 1.5);
      IntToDoubleFunction curve = GaussianCurves.rough(dice, length);
      return fixed(
          words("rough Gaussian process, deviation %.2f, length %.2f", scale, length),
          times(trend(dice), k -> Math.exp(scale * curve.applyAsDouble(k))));
    }
  },
  /** The universal scalability law (Gunther 2007). */
  SCALABILITY("universal scalability law") {
    @Override
    Family draw(Dice dice) {
      double contention = dice.uniform(0, 0.2);
      double coherence = dice.logUniform(1e-5, 0.03);
      return fixed(
          words("contention %.3f, coherence %.5f", contention, coherence),
          scalability(contention, coherence));
    }
  },
  /** Two to four parts that saturate, or rise and fall. */
  SUM("a sum of parts that saturate and parts that fall again") {
    @Override
    Family draw(Dice dice) {
      List<IntToDoubleFunction> parts = new ArrayList<>();
      for (int i = dice.whole(2, 4); i > 0; i--) {
        double weight = dice.uniform(0.2, 1);
        double at = dice.logUniform(1, Curve.LARGEST);
        parts.add(
            switch (dice.whole(0, 2)) {
              case 0 -> k -> weight * Math.min(1, k / at);
              case 1 -> k -> weight * k / (k + at);
              default -> k -> weight * k / at * Math.exp(1 - k / at);
            });
      }
      return fixed(parts.size() + " parts", sum(parts));
    }
  },
  /** One to three humps over the logarithm of the size, on a low floor. */
  HUMPS("one to three humps") {
    @Override
    Family draw(Dice dice) {
      double floor = dice.uniform(0.02, 0.2);
      List<IntToDoubleFunction> parts = new ArrayList<>(List.of(k -> floor));
      StringJoiner words = new StringJoiner(", ");
      for (int i = dice.whole(1, 3); i > 0; i--) {
        double height = dice.uniform(0.4, 1);
        double at = dice.logUniform(1, Curve.LARGEST);
        parts.add(bump(height, at, dice.logUniform(0.1, 1)));
        words.add(words("%.2f at %.0f", height, at));
      }
      return fixed(words.toString(), sum(parts));
    }
  },
  /** A rise up to a size beyond which the rate drops at once and never recovers. */
  CLIFF("a rise, then a cliff") {
    @Override
    Family draw(Dice dice) {
      int edge = (int) Math.round(dice.logUniform(2, 220));
      double power = dice.uniform(0.5, 1);
      double remains = 1 / dice.logUniform(1.5, 10);
      double decline = dice.chance(0.5) ? 0 : dice.uniform(0, 0.5);
      return fixed(
          words("drops to %.2f beyond %d", remains, edge),
          k ->
              k <= edge
                  ? Math.pow((double) k / edge, power)
                  : remains * Math.pow((double) edge / k, decline));
    }
  },
  /** Two to six steps up; in some of them the last one goes down. */
  STAIRS("stairs") {
    @Override
    Family draw(Dice dice) {
      int[] edges = new int[dice.whole(2, 6)];
      Arrays.setAll(edges, i -> (int) Math.round(dice.logUniform(2, 240)));
      Arrays.sort(edges);
      double[] levels = new double[edges.length + 1];
      levels[0] = 1;
      for (int i = 1; i < levels.length; i++) {
        levels[i] = levels[i - 1] * dice.uniform(1.15, 2);
      }
      if (dice.chance(0.3)) {
        levels[edges.length] = levels[edges.length - 1] * dice.uniform(0.4, 0.9);
      }
      return fixed(
          "steps at " + Arrays.toString(edges),
          k -> {
            int step = 0;
            while (step < edges.length && k >= edges[step]) {
              step++;
            }
            return levels[step];
          });
    }
  },
  /** Good and bad sizes in turn. */
  COMB("a comb of good and bad sizes") {
    @Override
    Family draw(Dice dice) {
      double knee = dice.logUniform(4, 200);
      IntToDoubleFunction base = rise(dice, knee);
      double depth = dice.uniform(0.1, 0.6);
      double bad = dice.uniform(0.3, 0.7);
      boolean logarithmic = dice.chance(0.5);
      double period = logarithmic ? dice.uniform(0.3, 1.2) : dice.logUniform(4, 48);
      double phase = dice.uniform(0, 1);
      return fixed(
          words(
              "knee at %.0f, teeth %.2f deep, every %s",
              knee,
              depth,
              words(
                  logarithmic ? "factor of %.2f" : "%.0f sizes",
                  logarithmic ? Math.exp(period) : period)),
          k -> {
            double turns = (logarithmic ? Math.log(k) : k) / period + phase;
            return base.applyAsDouble(k) * (turns - Math.floor(turns) < bad ? 1 - depth : 1);
          });
    }
  },
  /** A rise with a range of bad sizes before the best. */
  DIP("a rise with a dip before the best size") {
    @Override
    Family draw(Dice dice) {
      double knee = dice.logUniform(8, 240);
      double at = knee * dice.logUniform(0.1, 0.8);
      double depth = dice.uniform(0.3, 0.85);
      double width = dice.logUniform(0.03, 0.3);
      IntToDoubleFunction dip = bump(depth, at, width);
      return fixed(
          words("%.2f deep at %.0f, knee at %.0f", depth, at, knee),
          times(rise(dice, knee), k -> 1 - dip.applyAsDouble(k)));
    }
  },
  /** A fall first, then a rise to the best. */
  VALLEY("a fall first, then a rise to the best size") {
    @Override
    Family draw(Dice dice) {
      double bottom = dice.logUniform(2, 12);
      double top = Math.min(240, bottom * dice.logUniform(3, 24));
      double first = dice.uniform(0.2, 0.7);
      double least = first * dice.uniform(0.3, 0.8);
      double decline = dice.chance(0.5) ? 0 : dice.uniform(0, 0.6);
      return fixed(
          words("%.2f at 1, %.2f at %.0f, 1 at %.0f", first, least, bottom, top),
          k ->
              k < bottom
                  ? first - (first - least) * (k - 1) / (bottom - 1)
                  : k < top
                      ? least + (1 - least) * (k - bottom) / (top - bottom)
                      : Math.pow(top / k, decline));
    }
  },
  /** A narrow range of sizes that is far better than all others. */
  SPIKE("a narrow spike") {
    @Override
    Family draw(Dice dice) {
      double height = dice.uniform(0.3, 0.75);
      double at = dice.logUniform(3, 180);
      IntToDoubleFunction spike = bump(height, at, dice.logUniform(0.02, 0.1));
      IntToDoubleFunction base = dice.chance(0.5) ? k -> 1 : rise(dice, dice.logUniform(2, 32));
      return fixed(
          words("%.2f high at %.0f", height, at),
          k -> (1 - height) * base.applyAsDouble(k) + spike.applyAsDouble(k));
    }
  },
  /** One best size anywhere from 1 to the upper bound, with a fall behind it. */
  PEAK("one peak anywhere") {
    @Override
    Family draw(Dice dice) {
      double best = dice.logUniform(1, Curve.LARGEST);
      double up = dice.uniform(0.3, 1);
      double down = dice.uniform(0.15, 1);
      double round = dice.uniform(1, 8);
      return fixed(
          words("at %.1f, powers %.2f and -%.2f", best, up, down),
          k ->
              Math.pow(
                  Math.pow(best / k, up * round) + Math.pow(k / best, down * round), -1 / round));
    }
  },
  /** A rise, and beyond it more neither helps nor harms. */
  PLATEAU("a plateau") {
    @Override
    Family draw(Dice dice) {
      double knee = dice.logUniform(1, Curve.LARGEST);
      return fixed(words("knee at %.0f", knee), rise(dice, knee));
    }
  },
  /** The universal scalability law, the worse the more tasks are in the system. */
  LOAD("a curve that falls earlier the more tasks are in the system") {
    @Override
    Family draw(Dice dice) {
      double contention = dice.uniform(0, 0.1);
      double coherence = dice.logUniform(1e-4, 0.01);
      double power = dice.uniform(0.7, 2);
      double cost = dice.uniform(0, 0.5);
      return new Family(
          words("with 100 tasks contention %.3f, coherence %.5f", contention, coherence),
          tasks -> {
            double load = tasks / 100.0;
            IntToDoubleFunction curve = scalability(contention, coherence * Math.pow(load, power));
            return k -> curve.applyAsDouble(k) / (1 + cost * load);
          });
    }
  },
  /** Throughput of disks as it was recorded, smoothed or as it is. */
  RECORDED("recorded on a disk") {
    @Override
    Family draw(Dice dice) {
      String workload = dice.pick(RecordedCurves.workloads());
      boolean smoothed = dice.chance(0.5);
      Curve curve =
          smoothed ? RecordedCurves.smoothed(workload) : RecordedCurves.averaged(workload);
      return fixed(workload + (smoothed ? " (Timm 2021), smoothed" : " (Timm 2021)"), curve::at);
    }
  };

  /**
   * A curve by the number of tasks in the system, for the kind for which that matters.
   *
   * @param law its parameters in words
   * @param byTasks the curve with so many tasks in the system
   */
  record Family(String law, IntFunction<IntToDoubleFunction> byTasks) {

    IntToDoubleFunction with(int tasksInSystem) {
      return byTasks.apply(tasksInSystem);
    }
  }

  private final String title;

  Shape(String title) {
    this.title = title;
  }

  abstract Family draw(Dice dice);

  /** Its name in configurations and results. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A description for a reader who sees it first. */
  public String title() {
    return title;
  }

  private static Family fixed(String law, IntToDoubleFunction curve) {
    return new Family(law, tasks -> curve);
  }

  private static String words(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  private static IntToDoubleFunction times(IntToDoubleFunction a, IntToDoubleFunction b) {
    return k -> a.applyAsDouble(k) * b.applyAsDouble(k);
  }

  private static IntToDoubleFunction sum(List<IntToDoubleFunction> parts) {
    return k -> parts.stream().mapToDouble(part -> part.applyAsDouble(k)).sum();
  }

  /** Nothing, or a rise. */
  private static IntToDoubleFunction trend(Dice dice) {
    return dice.chance(0.5) ? k -> 1 : rise(dice, dice.logUniform(2, Curve.LARGEST));
  }

  /** A rise to 1 at a knee, sharp or round. */
  private static IntToDoubleFunction rise(Dice dice, double knee) {
    double sharpness = dice.logUniform(2, 20);
    return k -> Math.pow(1 + Math.pow(knee / k, sharpness), -1 / sharpness);
  }

  private static IntToDoubleFunction bump(double height, double at, double width) {
    return k -> {
      double distance = Math.log(k / at);
      return height * Math.exp(-distance * distance / width);
    };
  }

  private static IntToDoubleFunction scalability(double contention, double coherence) {
    return k -> k / (1 + contention * (k - 1) + coherence * k * (k - 1.0));
  }
}
