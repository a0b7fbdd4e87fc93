package io.poolkeeper.testbed.simulator.coordinated;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Ways to size two pools on services drawn from wide ranges, against the best static sizes of each
 * stage. Prints figures and asserts nothing; the guide on coordination has those of many services.
 */
final class ContestTest {

  /** System property of the first and the last seed, as in {@code 3001-3100}. */
  static final String DRAWS = "coordinated.draws";

  /** The same for services of several servers that share a database. */
  static final String SHARING = "coordinated.sharing";

  private static final String SEEDS = "\\d{1,9}-\\d{1,9}";

  private static final double TARGET = 0.95;
  private static final List<String> CONTESTANTS = List.of("pair", "independent", "scg");

  /** Throughput of a stage as a part of the best. */
  private record Score(String contestant, long seed, int stage, double part) {}

  @Test
  @EnabledIfSystemProperty(named = DRAWS, matches = SEEDS)
  void partsOfTheBestThroughput() {
    play(DRAWS, DrawnChanges::of, DrawnChanges.STAGES);
  }

  @Test
  @EnabledIfSystemProperty(named = SHARING, matches = SEEDS)
  void partsOfTheBestThroughputOfServersThatShareADatabase() {
    play(SHARING, DrawnChanges::sharing, DrawnChanges.SHARING);
  }

  private static void play(
      String property, LongFunction<DrawnChanges> services, List<String> stages) {
    String[] range = System.getProperty(property).split("-", 2);
    List<Score> scores = new ArrayList<>();
    LongStream.rangeClosed(Long.parseLong(range[0]), Long.parseLong(range[1]))
        .forEach(seed -> scores.addAll(play(seed, services.apply(seed))));
    System.out.println("mean, 5th percentile, part of the stages above 0.95, worst");
    for (String contestant : CONTESTANTS) {
      List<Score> own = scores.stream().filter(s -> s.contestant.equals(contestant)).toList();
      print(contestant, own);
      for (int i = 0; i < stages.size(); i++) {
        int stage = i;
        print(
            "  " + stages.get(stage), own.stream().filter(score -> score.stage == stage).toList());
      }
    }
  }

  private static List<Score> play(long seed, DrawnChanges drawn) {
    Trial trial =
        new Trial(drawn.service(), drawn.stages(), seed).from(drawn.threads(), drawn.connections());
    List<Double> best = trial.best();
    List<Score> scores = new ArrayList<>();
    for (String contestant : CONTESTANTS) {
      Trial.Outcome outcome =
          switch (contestant) {
            case "pair" -> trial.coordinated();
            case "scg" -> trial.independent("sora-scg");
            default -> trial.independent();
          };
      List<Score> own =
          IntStream.range(0, best.size())
              .mapToObj(
                  i -> new Score(contestant, seed, i, outcome.throughput().get(i) / best.get(i)))
              .toList();
      StringBuilder line = new StringBuilder("%4d %-11s".formatted(seed, contestant));
      own.forEach(score -> line.append(String.format(Locale.ROOT, " %.3f", score.part)));
      System.out.println(line.append("  ").append(outcome.sizes()));
      scores.addAll(own);
    }
    return scores;
  }

  private static void print(String what, List<Score> scores) {
    double[] parts = scores.stream().mapToDouble(Score::part).sorted().toArray();
    System.out.printf(
        Locale.ROOT,
        "%-16s %.3f %.3f %.3f %.3f%n",
        what,
        Arrays.stream(parts).average().orElseThrow(),
        parts[parts.length / 20],
        (double) Arrays.stream(parts).filter(part -> part > TARGET).count() / parts.length,
        parts[0]);
  }
}
