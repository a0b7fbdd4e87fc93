package io.poolkeeper.testbed.tunnel.plan;

import io.poolkeeper.testbed.tunnel.course.Load;
import io.poolkeeper.testbed.tunnel.course.Loads;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import io.poolkeeper.testbed.tunnel.plant.Plants;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Cells that are flown, how often, and by whom.
 *
 * <p>Not the full product. Every plant meets every load with a rate that wanders by 8 %, as real
 * ones do. The other kinds of noise are met under two loads only, one that stays and one that
 * changes: what noise does to a controller shows there, and under a load that does not reach the
 * pool's size it does nothing. The quick form takes a few plants and loads of different character.
 * Asking for certain noises asks for their full product with the plants and loads chosen.
 *
 * @param cells what is done to the contestants
 * @param once those of the cells that are flown with one seed: each drawn plant is another one
 *     already
 * @param contestants who is judged
 * @param seeds how often each cell is flown by a contestant, every time with other random numbers
 * @param preciseSeeds the same for those of {@link #PRECISE}, {@code seeds} or more
 */
public record Plan(
    List<Cell> cells, Set<Cell> once, List<Contestant> contestants, int seeds, int preciseSeeds) {

  /** Those about whom statements are made that need narrow intervals. */
  static final Set<String> PRECISE = Set.of("response-curve", Contestants.BEST_FIXED);

  private static final Noise USUAL = Noise.WANDERING;

  /** All but the warm-up, which is flown if it is asked for. */
  private static final List<Noise> PLANNED =
      List.of(Noise.NONE, Noise.WANDERING, Noise.DROPS, Noise.PAUSES);

  private static final Set<String> DISTURBED_LOADS = Set.of("closed-100", "changes-60");

  private static final Set<String> QUICK_PLANTS =
      Set.of("cpu", "database", "collapse", "wide", "disk-files");
  private static final Set<String> QUICK_LOADS =
      Set.of("closed-10", "closed-100", "open-0.6", "changes-60", "night");
  private static final Set<String> QUICK_DISTURBED_LOADS = Set.of("closed-100");

  public Plan {
    cells = List.copyOf(cells);
    once = Set.copyOf(once);
    contestants = List.copyOf(contestants);
  }

  /** A plan without cells that are flown once. */
  public Plan(List<Cell> cells, List<Contestant> contestants, int seeds, int preciseSeeds) {
    this(cells, Set.of(), contestants, seeds, preciseSeeds);
  }

  /** The same with more cells, each flown with one seed. */
  public Plan with(Collection<Cell> drawn) {
    List<Cell> all = new ArrayList<>(cells);
    all.addAll(drawn);
    return new Plan(all, new HashSet<>(drawn), contestants, seeds, preciseSeeds);
  }

  /**
   * Choices of the command line; an empty list leaves the choice to the form.
   *
   * @param quick whether the quick form is wanted
   */
  public record Choice(
      boolean quick, Collection<Plant> plants, Collection<Load> loads, Collection<Noise> noises) {}

  /** The cells of a choice. */
  public static List<Cell> cells(Choice choice) {
    List<Cell> cells = new ArrayList<>();
    for (Plant plant : choice.plants().isEmpty() ? Plants.ALL.values() : choice.plants()) {
      if (choice.plants().isEmpty() && choice.quick() && !QUICK_PLANTS.contains(plant.name())) {
        continue;
      }
      for (Load load : choice.loads().isEmpty() ? Loads.ALL.values() : choice.loads()) {
        if (choice.loads().isEmpty() && choice.quick() && !QUICK_LOADS.contains(load.name())) {
          continue;
        }
        noises(choice, load).forEach(noise -> cells.add(new Cell(plant, load, noise)));
      }
    }
    return cells;
  }

  private static Collection<Noise> noises(Choice choice, Load load) {
    if (!choice.noises().isEmpty()) {
      return choice.noises();
    }
    Set<String> disturbed = choice.quick() ? QUICK_DISTURBED_LOADS : DISTURBED_LOADS;
    return disturbed.contains(load.name()) ? PLANNED : List.of(USUAL);
  }

  /** Returns how many seeds a contestant gets in a cell. */
  public int seeds(Cell cell, Contestant contestant) {
    return once.contains(cell) ? 1 : PRECISE.contains(contestant.name()) ? preciseSeeds : seeds;
  }

  /** Returns the number of runs. */
  public int runs() {
    return cells.stream()
        .mapToInt(
            cell -> contestants.stream().mapToInt(contestant -> seeds(cell, contestant)).sum())
        .sum();
  }
}
