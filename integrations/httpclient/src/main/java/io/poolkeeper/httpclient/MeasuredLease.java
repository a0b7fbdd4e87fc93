package io.poolkeeper.httpclient;

import io.poolkeeper.spi.TaskMeter;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.LeaseRequest;
import org.apache.hc.core5.util.Timeout;

/**
 * A caller that waits for a connection. It leaves the queue once: with a connection, or without.
 */
final class MeasuredLease implements LeaseRequest {

  private final LeaseRequest request;
  private final TaskMeter meter;
  private final AtomicInteger waiting;
  private final Map<ConnectionEndpoint, TaskMeter.Run> inUse;
  private final long arrival;
  private final AtomicBoolean over = new AtomicBoolean();

  /**
   * Begins to wait.
   *
   * @param waiting callers in the queue, this one included
   * @param inUse receives the connection
   * @param arrival when the caller came, of {@link System#nanoTime}
   */
  MeasuredLease(
      LeaseRequest request,
      TaskMeter meter,
      AtomicInteger waiting,
      Map<ConnectionEndpoint, TaskMeter.Run> inUse,
      long arrival) {
    this.request = request;
    this.meter = meter;
    this.waiting = waiting;
    this.inUse = inUse;
    this.arrival = arrival;
  }

  @Override
  public ConnectionEndpoint get(Timeout timeout)
      throws InterruptedException, ExecutionException, TimeoutException {
    ConnectionEndpoint endpoint;
    try {
      endpoint = request.get(timeout);
    } catch (InterruptedException | ExecutionException | TimeoutException | RuntimeException e) {
      leaveWithout();
      throw e;
    }
    if (over.compareAndSet(false, true)) {
      waiting.decrementAndGet();
      inUse.put(endpoint, meter.began(System.nanoTime() - arrival));
    }
    return endpoint;
  }

  @Override
  public boolean cancel() {
    boolean cancelled = request.cancel();
    leaveWithout();
    return cancelled;
  }

  private void leaveWithout() {
    if (over.compareAndSet(false, true)) {
      waiting.decrementAndGet();
      meter.refused(System.nanoTime() - arrival);
    }
  }
}
