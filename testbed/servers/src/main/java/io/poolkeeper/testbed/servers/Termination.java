package io.poolkeeper.testbed.servers;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/** The exit code after SIGTERM. */
final class Termination {

  private Termination() {}

  /**
   * Makes SIGTERM an orderly end with exit code 0, where the JVM's own handling ends with 143 after
   * the same shutdown hooks. The JDK has no public way to do so: this goes through {@code
   * sun.misc.Signal}, by reflection because the compiler warns of it, and leaves all as it is where
   * that is not to be had.
   */
  static void exitWithZero() {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      InvocationHandler exit =
          (proxy, method, args) -> {
            System.exit(0);
            return null;
          };
      signal
          .getMethod("handle", signal, handler)
          .invoke(
              null,
              signal.getConstructor(String.class).newInstance("TERM"),
              Proxy.newProxyInstance(
                  Termination.class.getClassLoader(), new Class<?>[] {handler}, exit));
    } catch (ReflectiveOperationException e) {
      // The exit code is 143 then; the shutdown is the same.
    }
  }
}
