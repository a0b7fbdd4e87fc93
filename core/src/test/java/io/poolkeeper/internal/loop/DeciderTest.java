package io.poolkeeper.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.internal.heap.HeapRelief;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class DeciderTest {

  private static final long SECOND = 1_000_000_000;

  private final AtomicLong time = new AtomicLong();
  private final AtomicBoolean memory = new AtomicBoolean();
  private final Pool pool = new Pool();
  private final Controller controller =
      (Controller)
          Proxy.newProxyInstance(
              Controller.class.getClassLoader(),
              new Class<?>[] {Controller.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "relieve" -> (int) arguments[0] / 2;
                    case "decide" -> Decision.keep((Window) arguments[0], "kept");
                    default -> name();
                  });

  private static final class Pool implements Resizable {
    private int size = 48;

    @Override
    public String name() {
      return "pool";
    }

    @Override
    public Bounds bounds() {
      return new Bounds(1, 100);
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public void resize(int size) {
      this.size = size;
    }
  }

  private String name() {
    if (!memory.get()) {
      throw new OutOfMemoryError("no memory for a step");
    }
    return "halving";
  }

  @Test
  void aFallForWhichThereWasNoMemoryIsReportedWithTheNextStep() {
    HeapRelief relief =
        new HeapRelief(pool, controller, time::get, () -> false, pool::bounds, false);
    Decider decider = new Decider(pool, controller, relief, () -> false, pool::bounds);
    Window window = Window.builder(0, SECOND, 24).build();
    time.set(SECOND);
    relief.ask(1, 0);
    assertThat(pool.size()).isEqualTo(24);
    assertThatThrownBy(() -> decider.decide(window, Mode.ACTIVE, relief.falls(), null))
        .isInstanceOf(OutOfMemoryError.class);
    memory.set(true);
    Step step = decider.decide(window, Mode.ACTIVE, relief.falls(), null);
    assertThat(step.explanation()).startsWith("fell from 48 to 24 at once");
    assertThat(step.before()).isEqualTo(48);
    relief.reported();
    assertThat(decider.decide(window, Mode.ACTIVE, relief.falls(), null).explanation())
        .isEqualTo("kept");
  }
}
