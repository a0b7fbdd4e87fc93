package io.poolkeeper.internal.loop;

import io.poolkeeper.Controller;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The controllers of the loops that run in this process. A controller learns from the windows of
 * one pool, and windows of a second pool would spoil what it knows. So it serves one loop at a
 * time. A controller without state may serve any number of them.
 */
public final class ControllersInUse {

  private static final ReferenceQueue<Controller> GONE = new ReferenceQueue<>();

  /** Names of the pools by their controllers. Loops that nobody closes must not stay in memory. */
  private static final Map<Use, String> POOLS = new ConcurrentHashMap<>();

  private ControllersInUse() {}

  /**
   * Notes that a pool uses a controller.
   *
   * @return gives the controller free; may be called more than once
   * @throws IllegalStateException if another pool uses the controller
   */
  public static Runnable claim(Controller controller, String pool) {
    for (Reference<?> gone = GONE.poll(); gone != null; gone = GONE.poll()) {
      POOLS.remove(gone);
    }
    if (stateless(controller)) {
      return () -> {};
    }
    Use use = new Use(controller);
    String user = POOLS.putIfAbsent(use, pool);
    if (user != null) {
      throw new IllegalStateException(
          "the controller '%s' of '%s' is used by the pool '%s', whose windows it learns from:"
                  .formatted(controller.name(), pool, user)
              + " give each pool a controller of its own");
    }
    return () -> POOLS.remove(use);
  }

  /** Returns whether nothing in a controller can change, since all its fields are final numbers. */
  private static boolean stateless(Controller controller) {
    Class<?> type = controller.getClass();
    while (type != null && type.getClassLoader() != null) { // The classes of the JDK have none.
      if (Arrays.stream(type.getDeclaredFields()).anyMatch(ControllersInUse::mayChange)) {
        return false;
      }
      type = type.getSuperclass();
    }
    return true;
  }

  private static boolean mayChange(Field field) {
    int modifiers = field.getModifiers();
    return !Modifier.isStatic(modifiers)
        && !(Modifier.isFinal(modifiers) && field.getType().isPrimitive());
  }

  /** A controller by its identity: its own {@code equals} may call two of them equal. */
  private static final class Use extends WeakReference<Controller> {
    private final int hash;

    Use(Controller controller) {
      super(controller, GONE);
      hash = System.identityHashCode(controller);
    }

    @Override
    public boolean equals(Object other) {
      return this == other || (other instanceof Use use && use.refersTo(get()) && get() != null);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
