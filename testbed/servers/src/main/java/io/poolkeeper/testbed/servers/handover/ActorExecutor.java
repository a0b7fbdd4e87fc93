package io.poolkeeper.testbed.servers.handover;

import io.poolkeeper.Bounds;
import io.poolkeeper.Objective;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * An executor of actors, which are handlers with a mailbox each and a thread of their own. Work is
 * dealt to them in turn by the thread that brings it, as the library's own routers do: a router
 * with a mailbox would be a second hand-over. Work in a mailbox stays there, whoever else is idle.
 */
public final class ActorExecutor extends HandlerPool {

  private sealed interface Message {}

  private record Deal(HandlerPool.Work work) implements Message {}

  private enum Leave implements Message {
    LEAVE
  }

  private final Actors actors;

  /** Held to deal and to resize, so that who leaves is sent nothing behind the word to leave. */
  private final Object dealing = new Object();

  private final List<ActorRef<Message>> handlers = new ArrayList<>();
  private int joined;
  private int turn;

  /**
   * Starts a system of actors for it.
   *
   * @param name letters, digits, hyphens and underscores
   * @param size actors to begin with, within the bounds
   * @throws IllegalArgumentException if it is not
   */
  @SuppressWarnings("this-escape") // Nobody has it yet, and the class is final.
  public ActorExecutor(String name, Bounds bounds, int size, Objective objective) {
    super(name, bounds, size, objective);
    actors = new Actors(name);
    handlers(size);
  }

  /**
   * Joins the actors of another one. Each is shut down by itself, and the system ends with the
   * last.
   *
   * @throws IllegalArgumentException if the size is not within the bounds
   * @throws IllegalStateException if the system has ended
   */
  @SuppressWarnings("this-escape") // As above.
  public ActorExecutor(
      String name, Bounds bounds, int size, Objective objective, ActorExecutor other) {
    super(name, bounds, size, objective);
    actors = other.actors.shared();
    handlers(size);
  }

  private static Behavior<Message> handle(Message message) {
    if (message instanceof Deal dealt) {
      dealt.work.run();
      return Behaviors.same();
    }
    return Behaviors.stopped();
  }

  @Override
  boolean carry(Work work) {
    synchronized (dealing) {
      turn = (turn + 1) % handlers.size();
      handlers.get(turn).tell(new Deal(work));
    }
    return true;
  }

  @Override
  void handlers(int count) {
    List<ActorRef<Message>> joining = new ArrayList<>();
    // Starting a thread takes a while, in which the others are dealt to.
    for (int more = count - handlers.size(); more > 0; more--) {
      joining.add(
          actors.spawn(Behaviors.receiveMessage(ActorExecutor::handle), name() + "-" + ++joined));
    }
    synchronized (dealing) {
      handlers.addAll(joining);
      while (handlers.size() > count) {
        handlers.remove(handlers.size() - 1).tell(Leave.LEAVE);
      }
    }
  }

  @Override
  void end() {
    handlers(0);
    actors.leave();
  }
}
