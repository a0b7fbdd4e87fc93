package io.poolkeeper.testbed.applications.downstream;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Queue and servers of one {@link Profile}, without threads of their own. All methods and all that
 * the timer runs belong to the same thread.
 */
final class ServiceCentre {

  /** Runs something later, on the thread of the centre. */
  interface Timer {
    void after(long nanos, Runnable action);
  }

  private final Timer timer;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private Profile profile;
  private int served;

  ServiceCentre(Profile profile, Timer timer) {
    this.profile = profile;
    this.timer = timer;
  }

  Profile profile() {
    return profile;
  }

  /** Requests in service and waiting. */
  int present() {
    return served + waiting.size();
  }

  /**
   * Changes the service of requests that begin from now on; those under way keep their service
   * time.
   */
  void change(Profile profile) {
    this.profile = profile;
    begin();
  }

  /**
   * Takes a request. It is served even if its client has gone, as most servers do.
   *
   * @param answer called when it has been served
   */
  void accept(Runnable answer) {
    waiting.add(answer);
    begin();
  }

  private void begin() {
    while (served < profile.capacity() && !waiting.isEmpty()) {
      long nanos = profile.serviceNanos(present());
      Runnable answer = waiting.remove();
      served++;
      timer.after(nanos, () -> end(answer));
    }
  }

  private void end(Runnable answer) {
    served--;
    begin();
    answer.run();
  }
}
