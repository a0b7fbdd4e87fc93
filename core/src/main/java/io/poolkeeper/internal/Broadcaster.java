package io.poolkeeper.internal;

import io.poolkeeper.ControlListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Delivers events to listeners. Each listener receives every event in order, on one thread at a
 * time.
 *
 * <p>An event is first posted for all listeners and then delivered. So a listener that blocks
 * delays only its own events: other threads skip it, and when it returns, its thread delivers the
 * events posted meanwhile. No lock is held while a listener is called, and no listener sees an
 * interrupt flag.
 */
public final class Broadcaster {

  /**
   * Calls in a row without a failure after which the next one is logged. A listener may fail with
   * each window, and not with the decisions between.
   */
  private static final int RECOVERY = 10;

  /** An event and, once there is one, the event after it. */
  private static final class Event {
    private final Consumer<ControlListener> call;
    private volatile @Nullable Event next;

    Event(Consumer<ControlListener> call) {
      this.call = call;
    }
  }

  private final String name;
  private final Event closing;
  private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();
  private Event last = new Event(listener -> {});
  private boolean ended;

  /** Listeners that have not received the last event, once it has been posted. */
  private int undelivered;

  /**
   * @param name of the pool, for the log
   * @param closing the last event; created in advance, so that posting it needs no memory
   */
  public Broadcaster(String name, Consumer<ControlListener> closing) {
    this.name = name;
    this.closing = new Event(closing);
  }

  /** Adds a listener, which receives the events from now on. */
  public synchronized void add(ControlListener listener) {
    subscribers.add(new Subscriber(listener, last));
  }

  /** Appends an event for all listeners, unless the last one has been posted. */
  public synchronized void post(Consumer<ControlListener> call) {
    if (!ended) {
      append(new Event(call));
    }
  }

  /** Appends the last event. */
  public synchronized void postLast() {
    if (!ended) {
      ended = true;
      undelivered = subscribers.size();
      append(closing);
      notifyAll();
    }
  }

  private void append(Event event) {
    last.next = event;
    last = event;
  }

  /** Delivers the posted events on this thread, except to listeners that are being called. */
  public void deliver() {
    boolean interrupted = Thread.interrupted();
    for (Subscriber subscriber : subscribers) {
      subscriber.deliver();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Delivers to each listener on a daemon thread of its own. */
  public void deliverApart() {
    for (Subscriber subscriber : subscribers) {
      try {
        SharedTimer.daemon(subscriber::deliver).start();
      } catch (OutOfMemoryError e) { // Also thrown where no thread can be started.
        subscriber.deliver();
      }
    }
  }

  /** Returns whether this thread is calling a listener. */
  public boolean delivers() {
    Thread current = Thread.currentThread();
    return subscribers.stream().anyMatch(subscriber -> subscriber.caller.get() == current);
  }

  /**
   * Waits until all listeners have received the last event, at most {@code nanos}.
   *
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public synchronized void awaitLast(long nanos) throws InterruptedException {
    long began = System.nanoTime();
    long left = nanos;
    while (left > 0 && (!ended || undelivered > 0)) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = nanos - (System.nanoTime() - began);
    }
  }

  private synchronized void deliveredLast() {
    undelivered--;
    notifyAll();
  }

  /** A listener, and the last event that it received. */
  private final class Subscriber {
    private final ControlListener listener;
    private final AtomicReference<@Nullable Thread> caller = new AtomicReference<>();
    private final FailureLog failures = new FailureLog(name, RECOVERY);
    private Event seen;

    Subscriber(ControlListener listener, Event seen) {
      this.listener = listener;
      this.seen = seen;
    }

    /** Calls the listener until it has every event, unless another call is under way. */
    void deliver() {
      Event reached = null;
      // Again if an event was posted while this thread still seemed to be calling.
      while ((reached == null || reached.next != null)
          && caller.compareAndSet(null, Thread.currentThread())) {
        try {
          catchUp();
          reached = seen;
        } finally {
          caller.set(null);
        }
      }
    }

    private void catchUp() {
      for (Event event = seen.next; event != null; event = event.next) {
        seen = event;
        call(event);
        if (event == closing) {
          deliveredLast();
        }
      }
    }

    private void call(Event event) {
      boolean unused = Thread.interrupted(); // Left by a listener before.
      try {
        event.call.accept(listener);
        failures.succeeded();
      } catch (Throwable e) { // A user's listener may throw anything.
        failures.failed(
            "a listener threw; it stays subscribed, and only the first of several failures is logged",
            e);
      }
    }
  }
}
