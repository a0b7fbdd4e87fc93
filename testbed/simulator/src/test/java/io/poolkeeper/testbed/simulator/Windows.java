package io.poolkeeper.testbed.simulator;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.util.ArrayList;
import java.util.List;

/** Keeps all windows of a pool. Once it is closed, any thread may read them. */
final class Windows implements ControlListener {

  final List<Window> all = new ArrayList<>();
  private volatile boolean closed;

  @Override
  public void onWindow(Resizable pool, Window window) {
    all.add(window);
  }

  @Override
  public void onClose(Resizable pool) {
    closed = true;
  }

  /** Whether the last window has been received. */
  boolean closed() {
    return closed;
  }
}
