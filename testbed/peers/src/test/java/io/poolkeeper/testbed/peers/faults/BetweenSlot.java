package io.poolkeeper.testbed.peers.faults;

import com.alibaba.csp.sentinel.context.Context;
import com.alibaba.csp.sentinel.node.DefaultNode;
import com.alibaba.csp.sentinel.slotchain.AbstractLinkedProcessorSlot;
import com.alibaba.csp.sentinel.slotchain.ResourceWrapper;
import com.alibaba.csp.sentinel.spi.Spi;

/**
 * The last slot of Sentinel's chain: after every rule has passed, before the count of threads goes
 * up. Made by Sentinel, which finds it by META-INF/services.
 */
@Spi(order = 10_000)
public final class BetweenSlot extends AbstractLinkedProcessorSlot<DefaultNode> {

  private static volatile Runnable hook = () -> {};

  /** Sets what every call does there from now on. */
  static void hook(Runnable run) {
    hook = run;
  }

  @Override
  public void entry(
      Context context,
      ResourceWrapper resource,
      DefaultNode node,
      int count,
      boolean prioritized,
      Object... arguments)
      throws Throwable {
    hook.run();
    fireEntry(context, resource, node, count, prioritized, arguments);
  }

  @Override
  public void exit(Context context, ResourceWrapper resource, int count, Object... arguments) {
    fireExit(context, resource, count, arguments);
  }
}
