package io.poolkeeper.testbed.controllers;

/** A state that a test sets. It follows what a policy answers when told to. */
public final class FakePool implements PoolState {

  private long now;
  private int size;
  private int present;
  private long begun;

  /** A pool without tasks at time 0. */
  public FakePool(int size) {
    this.size = size;
  }

  /** Lets milliseconds pass. */
  public FakePool after(long millis) {
    now += millis * 1_000_000;
    return this;
  }

  /** Sets how many tasks are there; as many of them run as there are workers. */
  public FakePool with(int tasks) {
    begun += Math.max(0, Math.min(tasks, size) - busy());
    present = tasks;
    return this;
  }

  /** Takes a size. */
  public FakePool follow(int answer) {
    size = answer;
    return this;
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int busy() {
    return Math.min(size, present);
  }

  @Override
  public int queued() {
    return present - busy();
  }

  @Override
  public long begun() {
    return begun;
  }

  @Override
  public double cpu() {
    return Double.NaN;
  }
}
