package io.poolkeeper.testbed.controllers.peers;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Hill climbing and a global parabola by turns, as SQL Anywhere 12 sizes its pool of workers
 * (Abouzour, Salem and Bumbulis, Automatic Tuning of the Multiprogramming Level in Sybase SQL
 * Anywhere, ICDE workshops 2010; built from its description).
 *
 * <p><b>Rule.</b> Hill climbing goes on in its direction while the throughput rises, and turns
 * round when it fell. The parabola goes through what all sizes achieved, and the size is its
 * vertex. The two take turns: climbing follows a change near the present size, and the parabola
 * leaves a local hill.
 *
 * <p><b>What is ours.</b> Climbing lasts 6 windows and the parabola 3. A step is a tenth of the
 * size, at least 1 worker, and the first one goes up. The parabola goes through the latest
 * throughput of each size of the last 60 windows, all of the same weight; its vertex counts within
 * half and twice the size. Where it opens upwards, or there are fewer than three sizes, climbing
 * goes on. Windows in which busy workers and waiting tasks together make less than 95 % of the size
 * change nothing.
 *
 * <p><b>When it fails.</b> A step of a tenth gains less than the noise near the optimum, so
 * climbing strays there. A plateau has the vertex of its noise. What the work before it achieved
 * stays in the parabola for a minute.
 */
public final class HybridLoadController implements Resumable<HybridLoadController.State> {

  private static final int CLIMBING = 6;
  private static final int FITTING = 3;
  private static final int MOST_POINTS = 60;

  /**
   * All that the controller knows.
   *
   * @param points throughput of the last windows, the newest last
   * @param direction in which it climbs, 1 or -1
   * @param turn windows since the last turn of climbing began
   */
  public record State(List<Parabola.Point> points, int direction, int turn) {

    /** Knows nothing. */
    public static final State INITIAL = new State(List.of(), 1, 0);

    /** Copies {@code points}. */
    public State {
      points = List.copyOf(points);
    }

    /** The latest throughput of every size. */
    private List<Parabola.Point> latest() {
      Map<Integer, Parabola.Point> bySize = new LinkedHashMap<>();
      points.forEach(point -> bySize.put(point.size(), point));
      return List.copyOf(bySize.values());
    }
  }

  private State state = State.INITIAL;

  /** Makes one that knows nothing. */
  public HybridLoadController() {}

  @Override
  public String name() {
    return "sql-anywhere-hybrid";
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public HybridLoadController resume(State state) {
    HybridLoadController resumed = new HybridLoadController();
    resumed.state = state;
    return resumed;
  }

  @Override
  public Decision decide(Window window) {
    Optional<String> useless = LoadControl.useless(window);
    if (useless.isPresent()) {
      return Decision.keep(window, useless.get());
    }
    Parabola.Point now = new Parabola.Point(window.size(), window.throughput());
    List<Parabola.Point> points = new ArrayList<>(state.points);
    points.add(now);
    if (points.size() > MOST_POINTS) {
      points.remove(0);
    }
    int direction = direction(now);
    int turn = state.turn;
    state = new State(points, direction, (turn + 1) % (CLIMBING + FITTING));
    if (turn >= CLIMBING) {
      Optional<Parabola> fitted = Parabola.fit(state.latest(), 1);
      if (fitted.isPresent() && fitted.get().opensDownwards()) {
        return toVertex(now.size(), fitted.get());
      }
    }
    return climb(now, direction);
  }

  /** The direction in which climbing goes on after this window. */
  private int direction(Parabola.Point now) {
    if (state.points.isEmpty()) {
      return 1;
    }
    Parabola.Point before = state.points.get(state.points.size() - 1);
    int moved =
        now.size() == before.size() ? state.direction : Integer.signum(now.size() - before.size());
    return now.throughput() > before.throughput() ? moved : -moved;
  }

  private static Decision climb(Parabola.Point now, int direction) {
    int step = direction * LoadControl.step(now.size());
    return Decision.towards(
            Math.max(1, now.size() + step),
            String.format(Locale.ROOT, "climbing, %.1f/s now: %+d workers", now.throughput(), step))
        .because(Map.of("throughput", now.throughput()));
  }

  private static Decision toVertex(int size, Parabola parabola) {
    double vertex = Math.max(size / 2.0, Math.min(2.0 * size, parabola.vertex()));
    return Decision.towards(
            (int) Math.max(1, Math.round(vertex)),
            String.format(
                Locale.ROOT, "the vertex of the parabola through all sizes is %.1f", vertex))
        .because(Map.of("vertex", vertex));
  }
}
