package io.tidepool.testbed.simulator.engine;

/** Tasks that wait, first come first served. */
final class Queue {

  private final Tasks tasks;
  private int first = Tasks.NONE;
  private int last = Tasks.NONE;
  private int size;

  Queue(Tasks tasks) {
    this.tasks = tasks;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void add(int task) {
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
  int remove() {
    int task = first;
    first = tasks.next[task];
    size--;
    return task;
  }
}
