package io.poolkeeper.controllers;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;

/** Keeps the same size: the baseline for all other controllers. */
public final class FixedController implements Controller {

  private final int size;

  /**
   * @param size 1 or more
   * @throws IllegalArgumentException if it is less
   */
  public FixedController(int size) {
    if (size < 1) {
      throw new IllegalArgumentException("size must be >= 1, but is " + size);
    }
    this.size = size;
  }

  @Override
  public void requireBounds(Bounds bounds) {
    bounds.require("size of the fixed controller", size);
  }

  @Override
  public Decision decide(Window window) {
    return Decision.resize(size, "fixed at " + size);
  }

  @Override
  public String name() {
    return "fixed";
  }
}
