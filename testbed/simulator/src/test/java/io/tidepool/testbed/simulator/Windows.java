package io.tidepool.testbed.simulator;

import io.tidepool.ControlListener;
import io.tidepool.Resizable;
import io.tidepool.Window;
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
