package io.poolkeeper.testbed.controllers.peers;

import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.controllers.Require;
import io.poolkeeper.testbed.controllers.windows.Soundness;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The size by the blocking coefficient (Goetz 2006, section 8.2): {@code N = cores * utilisation *
 * (1 + wait / compute)}.
 *
 * <p><b>Rule.</b> Per task of the window, {@code compute} is the CPU time of the workers over the
 * tasks that ended, and {@code wait} the rest of the mean service time. N is rounded to the nearest
 * whole number, and at least 1.
 *
 * <p><b>Where the source is silent.</b> How to measure: once a window, without memory. Where the
 * workers' CPU time is not measured, no task ended, or less CPU than one nanosecond a task was
 * used, the size stays.
 *
 * <p><b>When it fails.</b> Waiting for a free core counts as waiting for something else, so on a
 * full machine N grows with N. Waiting for a lock or for a database that is full counts too, though
 * more workers make it longer. It ignores what the throughput says. Tasks longer than a window put
 * their CPU time into another window than their end.
 */
public final class BlockingCoefficientController implements Controller {

  private final int cores;
  private final double utilisation;

  /**
   * @param cores processors of the pool's machine, 1 or more
   * @param utilisation of them that is wanted, above 0 and at most 1
   */
  public BlockingCoefficientController(int cores, double utilisation) {
    this.cores = Require.atLeast(1, "cores", cores);
    this.utilisation = Require.within(0, 1, "utilisation", utilisation);
  }

  @Override
  public String name() {
    return "blocking-coefficient";
  }

  @Override
  public Decision decide(Window window) {
    Optional<String> fault = Soundness.fault(window);
    if (fault.isPresent()) {
      return Decision.keep(window, "window passed over: " + fault.get());
    }
    if (window.idle()) {
      return Decision.keep(window, "no task ended: nothing to compute from");
    }
    if (window.workerCpu() == Window.NOT_MEASURED) {
      return Decision.keep(window, "the CPU time of the workers is not measured");
    }
    double compute = window.workerCpu() / (double) Soundness.ended(window);
    if (!(compute >= 1)) {
      return Decision.keep(window, "the workers used no CPU: every size is too small");
    }
    double wait = Math.max(0, window.serviceTime().mean() - compute);
    double size = cores * utilisation * (1 + wait / compute);
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("wait", wait);
    numbers.put("compute", compute);
    numbers.put("size", size);
    return Decision.towards(
            (int) Math.max(1, Math.round(Math.min(Integer.MAX_VALUE, size))),
            String.format(
                Locale.ROOT,
                "%d cores at %.2f, %.3f ms waiting to %.3f ms computing a task: %.1f workers",
                cores,
                utilisation,
                wait / 1e6,
                compute / 1e6,
                size))
        .because(numbers);
  }
}
