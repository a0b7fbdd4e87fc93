package io.poolkeeper.testbed.servers.architectures;

import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.servers.admission.AdmissibleTask;
import io.poolkeeper.testbed.servers.http.Answer;
import io.poolkeeper.testbed.servers.http.Exchange;
import io.poolkeeper.testbed.servers.http.Status;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/** Applications, each at a path of its own, behind the same handlers. */
public final class Service {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  /** Attempts of an action that finds no memory, and the pause after each. */
  public static final int TRIES = 1000;

  /** That pause, nanoseconds. */
  public static final long BREATH_NANOS = 10_000_000;

  private final Map<String, Application> applications;

  /**
   * @param applications by their paths, which begin with a slash
   */
  public Service(Map<String, Application> applications) {
    this.applications = Map.copyOf(applications);
    Answer.rehearse();
  }

  /** One application. */
  public Service(String path, Application application) {
    this(Map.of(path, application));
  }

  /** Whether an application has to be asked; if not, {@link #serve} takes no time. */
  public boolean works(Exchange exchange) {
    return applications.containsKey(exchange.request().path());
  }

  /**
   * Answers a request on the calling thread, whatever happens to the application. An {@link Error}
   * of it is thrown once the client has its answer, so that the thread's pool sees it.
   */
  public void serve(Exchange exchange) {
    process(exchange);
  }

  /** Serves; returns whether the application answered. */
  private boolean process(Exchange exchange) {
    Application application = applications.get(exchange.request().path());
    if (application == null) {
      String paths = String.join(" or ", new TreeSet<>(applications.keySet()));
      exchange.answer(Answer.refusal(Status.NOT_FOUND, "nothing here; try " + paths));
      return false;
    }
    try {
      exchange.answer(Answer.ok(application.answer()));
      return true;
    } catch (Exception e) {
      answerFailure(exchange, e);
      return false;
    } catch (Throwable e) {
      answerFailure(exchange, e);
      throw e;
    }
  }

  /** Answers even while others hold all of the heap, since a client waits. */
  private static void answerFailure(Exchange exchange, Throwable failure) {
    for (int i = 0; i < TRIES; i++) {
      try {
        exchange.answer(Answer.failure(failure));
        return;
      } catch (OutOfMemoryError | LinkageError e) { // The latter of code that could not be linked.
        LockSupport.parkNanos(BREATH_NANOS);
      }
    }
  }

  /**
   * Has a request answered by an executor, which may run it here; one that nobody takes is refused.
   *
   * @param answered called once the answer is there, by the thread that made it; it may throw
   *     {@link RejectedExecutionException} once the server has ended, when nobody writes any more
   */
  public void handOver(Executor executor, Exchange exchange, Runnable answered) {
    if (!works(exchange)) {
      serve(exchange);
      tell(answered);
      return;
    }
    try {
      executor.execute(new Task(exchange, answered));
    } catch (RejectedExecutionException e) {
      exchange.answer(Answer.busy());
      tell(answered);
    } catch (Error e) { // Of a task that ran here, or of an executor without memory for a thread.
      if (!exchange.answered()) {
        answerFailure(exchange, e);
        tell(answered);
      }
      LOG.log(Level.WARNING, "a request failed", e); // Last, since it takes memory as well.
    }
  }

  private static void tell(Runnable answered) {
    try {
      tellOnceThereIsMemory(answered);
    } catch (RejectedExecutionException e) { // The task has not failed, nor was it refused.
      LOG.log(Level.DEBUG, "an answer came after the end", e);
    }
  }

  private static void tellOnceThereIsMemory(Runnable answered) {
    for (int i = 0; i < TRIES; i++) {
      try {
        answered.run();
        return;
      } catch (OutOfMemoryError | LinkageError e) {
        LockSupport.parkNanos(BREATH_NANOS);
      }
    }
  }

  /** The work of a request. */
  private final class Task implements AdmissibleTask {
    private final Exchange exchange;
    private final Runnable answered;
    private boolean failed = true;

    Task(Exchange exchange, Runnable answered) {
      this.exchange = exchange;
      this.answered = answered;
    }

    @Override
    public void run() {
      try {
        failed = !process(exchange);
      } finally {
        tell(answered);
      }
    }

    @Override
    public boolean failed() {
      return failed;
    }

    @Override
    public void refuse() {
      exchange.answer(Answer.busy());
      tell(answered);
    }
  }
}
