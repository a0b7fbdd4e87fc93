package io.poolkeeper.testbed.servers.handover;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.servers.liberty.DefaultExecutor;
import io.poolkeeper.testbed.servers.liberty.OpenLiberty;

/**
 * The default executor of Open Liberty, measured like the other pools. It sizes itself, so it has a
 * {@link #reporter} in place of a controller and cannot be resized. Its size is told as it was at
 * the end of the last window.
 *
 * <p>It holds the size that it thinks right for the start of a server, a few threads, until the
 * reporter is asked for the first time: as a controller it begins when it is let go.
 */
public final class LibertyExecutor extends HandlerPool {

  /** Its name among controllers. */
  public static final String NAME = "open-liberty";

  private final DefaultExecutor executor;

  /**
   * Starts it.
   *
   * @param bounds of which the maximum is told to it
   * @throws IllegalArgumentException if Open Liberty is not on this machine, with how to get it
   */
  public static LibertyExecutor start(String name, Bounds bounds, Objective objective) {
    return new LibertyExecutor(
        name,
        bounds,
        objective,
        new DefaultExecutor(OpenLiberty.archive(), name, bounds.maximum()));
  }

  private LibertyExecutor(
      String name, Bounds bounds, Objective objective, DefaultExecutor executor) {
    super(name, bounds, bounds.clamp(executor.size()), objective);
    this.executor = executor;
  }

  /** Says at the end of each window what the executor has done, and lets it begin. */
  public Controller reporter() {
    return new Reporter();
  }

  private final class Reporter implements Controller {
    private boolean begun;
    private int before = size();

    @Override
    public Decision decide(Window window) {
      if (!begun) {
        begun = true;
        executor.serverStarted();
        return Decision.towards(size(), "the size that it starts a server with");
      }
      int now = size();
      String did = now == before ? "it stays" : "it went from %d to %d".formatted(before, now);
      before = now;
      return Decision.towards(now, did + ", as its own controller decided");
    }

    @Override
    public String name() {
      return NAME;
    }
  }

  @Override
  public Window closeWindow(long now) {
    sized(bounds().clamp(executor.size()));
    return super.closeWindow(now);
  }

  @Override
  boolean carry(Work work) {
    executor.execute(work);
    return true;
  }

  @Override
  void handlers(int count) {
    throw new IllegalArgumentException(
        "size cannot be set to %d: Open Liberty's executor sizes itself".formatted(count));
  }

  @Override
  void end() {
    executor.close();
  }
}
