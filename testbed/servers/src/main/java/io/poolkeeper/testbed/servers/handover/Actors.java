package io.poolkeeper.testbed.servers.handover;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.javadsl.AskPattern;

/**
 * A system of actors, each with a thread of its own. To start one takes much of the time that a
 * server with actors takes to be ready, so its executors share one, which ends with the last.
 */
final class Actors {

  private static final Config SETTINGS =
      ConfigFactory.parseString(
          """
          handlers { type = PinnedDispatcher, executor = thread-pool-executor }
          pekko { daemonic = on, loglevel = WARNING, jvm-exit-on-fatal-error = off }
          """);

  /** Time that the system may take to start an actor. */
  private static final Duration SPAWNING = Duration.ofSeconds(20);

  private final ActorSystem<SpawnProtocol.Command> system;
  private int executors = 1;

  /**
   * Starts a system for one executor.
   *
   * @param name letters, digits, hyphens and underscores
   */
  Actors(String name) {
    system =
        ActorSystem.create(
            SpawnProtocol.create(), name, SETTINGS.withFallback(ConfigFactory.defaultReference()));
  }

  /**
   * The same for one executor more.
   *
   * @throws IllegalStateException if the last one has left
   */
  synchronized Actors shared() {
    if (executors == 0) {
      throw new IllegalStateException(system.name() + " has ended");
    }
    executors++;
    return this;
  }

  /** Ends the system if no other executor has it; to be called once by each. */
  synchronized void leave() {
    if (--executors == 0) {
      system.terminate();
    }
  }

  /** Starts an actor; of several of one name each gets one of its own. */
  <M> ActorRef<M> spawn(Behavior<M> behavior, String name) {
    CompletionStage<ActorRef<M>> spawned =
        AskPattern.ask(
            system,
            asker ->
                new SpawnProtocol.Spawn<>(
                    behavior, name, DispatcherSelector.fromConfig("handlers"), asker),
            SPAWNING,
            system.scheduler());
    return spawned.toCompletableFuture().join();
  }
}
