package io.tidepool.testbed.servers.handover;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidepool.Bounds;
import io.tidepool.Objective;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * An executor of actors, which are handlers with a mailbox each and a thread of their own. One
 * actor more deals the work out to them in turn, so that all messages pass one place: who leaves is
 * sent nothing behind the word to leave. Work in a mailbox stays there, whoever else is idle.
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

  private record Resize(int count) implements Message {}

  private enum Leave implements Message {
    LEAVE
  }

  /** The actor that deals out. */
  private static final class Dealer {
    private final ActorContext<Message> context;
    private final List<ActorRef<Message>> handlers = new ArrayList<>();
    private int joined;
    private int turn;

    Dealer(ActorContext<Message> context) {
      this.context = context;
    }

    Behavior<Message> receive(Message message) {
      if (message instanceof Resize resize) {
        resize(resize.count);
      } else {
        turn = (turn + 1) % handlers.size();
        handlers.get(turn).tell(message);
      }
      return Behaviors.same();
    }

    private void resize(int count) {
      while (handlers.size() < count) {
        handlers.add(
            context.spawn(
                Behaviors.receiveMessage(ActorExecutor::handle),
                "handler-" + ++joined,
                DispatcherSelector.fromConfig("handlers")));
      }
      while (handlers.size() > count) {
        handlers.remove(handlers.size() - 1).tell(Leave.LEAVE);
      }
    }
  }

  private final ActorSystem<Message> dealer;

  /**
   * @param name letters, digits, hyphens and underscores
   * @param size actors to begin with, within the bounds
   * @throws IllegalArgumentException if it is not
   */
  public ActorExecutor(String name, Bounds bounds, int size, Objective objective) {
    super(name, bounds, size, objective);
    Behavior<Message> deals =
        Behaviors.setup(
            context -> {
              Dealer dealer = new Dealer(context);
              dealer.resize(size);
              return Behaviors.receiveMessage(dealer::receive);
            });
    dealer =
        ActorSystem.create(deals, name, SETTINGS.withFallback(ConfigFactory.defaultReference()));
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
    dealer.tell(new Deal(work));
    return true;
  }

  @Override
  void handlers(int count) {
    dealer.tell(new Resize(count));
  }

  @Override
  void end() {
    dealer.terminate();
  }
}
