package io.poolkeeper.testbed.servers.liberty;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/**
 * The service that all of Open Liberty runs its work on: its executor with its {@code
 * ThreadPoolController}, untouched. What its framework would do to it, is done here: to configure
 * it, to tell it that the server has started, from when on it tunes itself, and to end it.
 *
 * <p>Its classes are of a loader of its own and reached by reflection; a release in which they have
 * changed is refused with the name of what is missing.
 */
public final class DefaultExecutor implements Executor, AutoCloseable {

  private static final String SERVICE = "com.ibm.ws.threading.internal.ExecutorServiceImpl";

  /** Of its settings {@code coreThreads}: whatever it thinks right. */
  private static final int ITS_DEFAULT = -1;

  private final URLClassLoader classes;
  private final Object service;
  private final ThreadPoolExecutor threads;

  /**
   * Starts it with its default settings but for the number of threads at most.
   *
   * @param archive of {@link OpenLiberty#archive()}
   * @param maxThreads threads at most, 1 or more
   * @throws IllegalArgumentException if the archive is not that of a release as it is known here
   */
  public DefaultExecutor(Path archive, String name, int maxThreads) {
    classes = OpenLiberty.load(archive);
    try {
      service = classes.loadClass(SERVICE).getConstructor().newInstance();
      call(
          "activate",
          Map.class,
          Map.of("name", name, "coreThreads", ITS_DEFAULT, "maxThreads", maxThreads));
      Field field = service.getClass().getDeclaredField("threadPool");
      field.setAccessible(true);
      threads = (ThreadPoolExecutor) field.get(service);
    } catch (ReflectiveOperationException e) {
      throw unknown(e);
    }
  }

  /** Tells it that the server has started: from now on it tunes itself. To be called once. */
  public void serverStarted() {
    try {
      call("setServerStarted", classes.loadClass("com.ibm.ws.kernel.feature.ServerStarted"), null);
    } catch (ReflectiveOperationException e) {
      throw unknown(e);
    }
  }

  /** Threads that it wants to have now. */
  public int size() {
    return threads.getMaximumPoolSize();
  }

  @Override
  public void execute(Runnable task) {
    ((Executor) service).execute(task);
  }

  /** Ends it: it tunes itself no more, and its threads leave when they have nothing to do. */
  @Override
  public void close() {
    try {
      call("deactivate", int.class, 0);
      classes.close();
    } catch (ReflectiveOperationException e) {
      throw unknown(e);
    } catch (IOException e) {
      throw new IllegalStateException("the classes of Open Liberty stay open", e);
    }
  }

  private void call(String name, Class<?> type, @Nullable Object argument)
      throws ReflectiveOperationException {
    Method method = service.getClass().getDeclaredMethod(name, type);
    method.setAccessible(true);
    method.invoke(service, argument);
  }

  private static IllegalArgumentException unknown(ReflectiveOperationException e) {
    return new IllegalArgumentException(
        "the executor of Open Liberty is not as it is known here: " + e, e);
  }
}
