package io.poolkeeper.testbed.simulator;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.util.ArrayList;
import java.util.List;

/** Keeps all windows of a pool. */
final class Windows implements ControlListener {

  final List<Window> all = new ArrayList<>();

  @Override
  public void onWindow(Resizable pool, Window window) {
    all.add(window);
  }
}
