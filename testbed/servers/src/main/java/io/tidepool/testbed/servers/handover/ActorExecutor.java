package io.tidepool.testbed.servers.handover;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidepool.Bounds;
import io.tidepool.Objective;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * An executor of actors, which are handlers with a mailbox each and a thread of their own. Work is
 * dealt to them in turn by the thread that brings it, as the library's own routers do: a router
 * with a mailbox would be a second hand-over. Work in a mailbox stays there, whoever else is idle.
 */
public final class ActorExecutor extends HandlerPool {

  private static final Config SETTINGS =
      ConfigFactory.parseString(
          """
          handlers { type = PinnedDispatcher, executor = thread-pool-executor }
          pekko { daemonic = on, loglevel = WARNING, jvm-exit-on-fatal-error = off }
          """);

  private sealed interface Message {}

  private record Deal(HandlerPool.Work work) implements Message {}

  private enum Leave implements Message {
    LEAVE
  }

  /** How long the actor system may take to start an actor. */
  private static final Duration SPAWNING = Duration.ofSeconds(20);

  private final ActorSystem<SpawnProtocol.Command> system;

  /** Held to deal and to resize, so that who leaves is sent nothing behind the word to leave. */
  private final Object dealing = new Object();

  private final List<ActorRef<Message>> handlers = new ArrayList<>();
  private int joined;
  private int turn;

  /**
   * @param name letters, digits, hyphens and underscores
   * @param size actors to begin with, within the bounds
   * @throws IllegalArgumentException if it is not
   */
  @SuppressWarnings("this-escape") // Nobody has it yet, and the class is final.
  public ActorExecutor(String name, Bounds bounds, int size, Objective objective) {
    super(name, bounds, size, objective);
    system =
        ActorSystem.create(
            SpawnProtocol.create(), name, SETTINGS.withFallback(ConfigFactory.defaultReference()));
    handlers(size);
  }

  private ActorRef<Message> spawn() {
    CompletionStage<ActorRef<Message>> spawned =
        AskPattern.ask(
            system,
            asker ->
                new SpawnProtocol.Spawn<>(
                    Behaviors.receiveMessage(ActorExecutor::handle),
                    "handler-" + ++joined,
                    DispatcherSelector.fromConfig("handlers"),
                    asker),
            SPAWNING,
            system.scheduler());
    return spawned.toCompletableFuture().join();
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
    synchronized (dealing) {
      while (handlers.size() < count) {
        handlers.add(spawn());
      }
      while (handlers.size() > count) {
        handlers.remove(handlers.size() - 1).tell(Leave.LEAVE);
      }
    }
  }

  @Override
  void end() {
    system.terminate();
  }
}
