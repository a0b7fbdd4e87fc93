package io.poolkeeper.spring.pools;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Has requests that wait for a thread or for admission begin before the web server stops. The
 * graceful shutdown of Spring Boot waits for those in a servlet alone, and Tomcat closes the
 * connections of all others without an answer. A tuned server has few threads, so many may wait.
 */
public final class GracefulStop implements SmartLifecycle {

  /** Before that of the web server's graceful shutdown, which is 1024 below the default. */
  private static final int PHASE = DEFAULT_PHASE - 512;

  private static final long PAUSE_MILLIS = 20;

  private final List<Backlog> backlogs = new CopyOnWriteArrayList<>();
  private final boolean graceful;
  private volatile boolean running;

  /**
   * Makes a stop without backlogs.
   *
   * @param graceful whether the web server stops gracefully; otherwise nothing waits for anything
   */
  public GracefulStop(boolean graceful) {
    this.graceful = graceful;
  }

  /**
   * Adds requests to wait for.
   *
   * @param refuse has no further connections accepted
   * @param waiting number of requests that wait now, 0 once the server has stopped
   */
  void add(Runnable refuse, IntSupplier waiting) {
    backlogs.add(new Backlog(refuse, waiting));
  }

  /** Requests that wait now. */
  public int waiting() {
    return backlogs.stream().mapToInt(backlog -> backlog.waiting().getAsInt()).sum();
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    stop(() -> {});
  }

  /** Returns at once; Spring waits for the callback, up to its timeout of a shutdown phase. */
  @Override
  public void stop(Runnable callback) {
    running = false;
    if (!graceful || backlogs.isEmpty()) {
      callback.run();
      return;
    }
    Thread thread = new Thread(() -> finish(callback), "poolkeeper-shutdown");
    thread.setDaemon(true);
    thread.start();
  }

  private void finish(Runnable callback) {
    try {
      backlogs.forEach(backlog -> backlog.refuse().run());
      int idle = 0;
      while (idle < 2) { // A request that has just left the queue has not begun yet.
        Thread.sleep(PAUSE_MILLIS);
        idle = waiting() == 0 ? idle + 1 : 0;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) { // The server stops all the same.
      LogFactory.getLog("io.poolkeeper.spring")
          .warn("requests that wait may be lost while the web server stops: " + e);
    } finally {
      callback.run();
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  private record Backlog(Runnable refuse, IntSupplier waiting) {}
}
