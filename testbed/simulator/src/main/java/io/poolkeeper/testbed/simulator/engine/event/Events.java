package io.poolkeeper.testbed.simulator.engine.event;

/**
 * Events that may happen, as the parts of a run ask for them: kinds of events on the calendar, and
 * tasks that go on at this instant, in the order in which they were made ready.
 */
public final class Events {

  /** Kinds, in the order in which events of one instant happen. */
  public static final int STEP = 0;

  public static final int SERVER = 1;
  public static final int ACTOR = 2;
  public static final int SOURCE = 3;
  static final int CLIENT = 4;

  public final Calendar calendar = new Calendar();
  private long now;
  private int[] ready = new int[64];
  private int head;
  private int readyCount;

  /** Virtual time. */
  public long now() {
    return now;
  }

  public void now(long time) {
    now = time;
  }

  /** The step of a task ends. */
  public void finishStep(int task, long at) {
    calendar.add(at, STEP, task);
  }

  public void wakeServer(int server, long at) {
    calendar.add(at, SERVER, server);
  }

  public void wakeActor(int actor, long at) {
    calendar.add(at, ACTOR, actor);
  }

  public void wakeSource(int source, long at) {
    calendar.add(at, SOURCE, source);
  }

  public void wakeClient(int client, long at) {
    calendar.add(at, CLIENT, client);
  }

  /** A task goes on with its next step at this instant. */
  public void ready(int task) {
    if (readyCount == ready.length) {
      int[] larger = new int[2 * ready.length];
      for (int i = 0; i < readyCount; i++) {
        larger[i] = ready[(head + i) & (ready.length - 1)];
      }
      ready = larger;
      head = 0;
    }
    ready[(head + readyCount) & (ready.length - 1)] = task;
    readyCount++;
  }

  public boolean hasReady() {
    return readyCount > 0;
  }

  public int nextReady() {
    int task = ready[head];
    head = (head + 1) & (ready.length - 1);
    readyCount--;
    return task;
  }
}
