package io.poolkeeper.testkit;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database of nothing but connections, which counts them and may refuse more. */
public final class FakeDatabase {

  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger opened = new AtomicInteger();
  private volatile int most = Integer.MAX_VALUE;

  /** A database that admits any number of connections. */
  public FakeDatabase() {}

  /** Connections that are open now. */
  public int open() {
    return open.get();
  }

  /** Connections that were ever opened. */
  public int opened() {
    return opened.get();
  }

  /** Sets how many connections it admits from now on. */
  public void admit(int connections) {
    most = connections;
  }

  /** A source of its connections. */
  public DataSource dataSource() {
    return proxy(
        DataSource.class,
        (method, arguments) ->
            method.getName().equals("getConnection") ? connect() : standard(method));
  }

  private Connection connect() throws SQLException {
    if (open.incrementAndGet() > most) {
      open.decrementAndGet();
      throw new SQLException("too many connections");
    }
    opened.incrementAndGet();
    return proxy(
        Connection.class,
        (method, arguments) ->
            switch (method.getName()) {
              case "isValid", "getAutoCommit" -> true;
              case "close" -> {
                open.decrementAndGet();
                yield null;
              }
              default -> standard(method);
            });
  }

  private static @Nullable Object standard(Method method) {
    Class<?> type = method.getReturnType();
    if (type == boolean.class) {
      return false;
    }
    return type == int.class ? 0 : null;
  }

  private static <T> T proxy(Class<T> type, Answer answer) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(self);
                  case "equals" -> self == arguments[0];
                  case "toString" -> "fake " + type.getSimpleName();
                  default -> answer.to(method, arguments);
                });
    return type.cast(proxy);
  }

  /** An answer to a call of a method. */
  @FunctionalInterface
  private interface Answer {
    @Nullable Object to(Method method, Object @Nullable [] arguments) throws SQLException;
  }
}
