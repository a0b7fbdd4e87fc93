package io.poolkeeper.testbed.controllers.ntier;

import io.poolkeeper.testbed.controllers.ntier.Scatter.Group;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Scatter concurrency throughput, the model of ConScale (Mitigating Large Response Time
 * Fluctuations through Fast Concurrency Adapting in Clouds, IPDPS 2020; built from its
 * description).
 *
 * <p><b>Rule.</b> Every 50 ms a point of concurrency and throughput. The mean throughput rises with
 * the concurrency, is flat, and falls; the lower end of the flat range is the size.
 *
 * <p><b>What is ours.</b> The flat range holds the best mean throughput and all neighbours of it
 * within 5 %. A concurrency with fewer than three points does not count. An estimate every 10 s,
 * from the points of three minutes.
 *
 * <p><b>When it fails.</b> In 50 ms few tasks end, so the best of many noisy means is too good, and
 * the flat range short. Response times are none of its business.
 */
public final class SctController extends ScatterController {

  private static final Duration WINDOW = Duration.ofMillis(50);
  private static final int PERIOD = 200;
  private static final int LEAST_POINTS = 3;
  private static final double FLAT = 0.95;

  /** Makes a controller that knows nothing. */
  public SctController() {
    super("conscale-sct", WINDOW, PERIOD);
  }

  @Override
  SctController fresh() {
    return new SctController();
  }

  @Override
  Optional<Estimate> estimate(Scatter scatter) {
    List<Group> groups =
        scatter.groups().stream().filter(group -> group.points() >= LEAST_POINTS).toList();
    return groups.isEmpty() ? Optional.empty() : Optional.of(flatRange(groups));
  }

  /** Returns the lower end of the flat range. */
  static Estimate flatRange(List<Group> groups) {
    int best = 0;
    for (int i = 1; i < groups.size(); i++) {
      if (groups.get(i).rate() > groups.get(best).rate()) {
        best = i;
      }
    }
    double most = groups.get(best).rate();
    int low = best;
    while (low > 0 && groups.get(low - 1).rate() >= FLAT * most) {
      low--;
    }
    int high = best;
    while (high < groups.size() - 1 && groups.get(high + 1).rate() >= FLAT * most) {
      high++;
    }
    int lower = groups.get(low).concurrency();
    int upper = groups.get(high).concurrency();
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("lower", (double) lower);
    numbers.put("upper", (double) upper);
    numbers.put("throughput", most);
    return new Estimate(
        lower,
        false,
        String.format(
            Locale.ROOT, "throughput is flat from %d to %d, at %.1f/s", lower, upper, most),
        numbers);
  }
}
