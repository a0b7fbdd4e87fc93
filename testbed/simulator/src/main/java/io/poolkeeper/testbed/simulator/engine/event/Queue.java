package io.poolkeeper.testbed.simulator.engine.event;

/** Tasks that wait, first come first served. */
public final class Queue {

  private final Tasks tasks;
  private int first = Tasks.NONE;
  private int last = Tasks.NONE;
  private int size;

  public Queue(Tasks tasks) {
    this.tasks = tasks;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  public void add(int task) {
    tasks.next[task] = Tasks.NONE;
    if (size == 0) {
      first = task;
    } else {
      tasks.next[last] = task;
    }
    last = task;
    size++;
  }

  /** Takes the first. There must be one. */
  public int remove() {
    int task = first;
    first = tasks.next[task];
    size--;
    return task;
  }
}
