package io.poolkeeper.testbed.servers.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.http.Lifecycle.Action;
import io.poolkeeper.testbed.servers.http.Lifecycle.State;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The life of a connection under events in any order; every seed is one order. */
final class LifecycleTest {

  private static final int LIVES = 5_000;
  private static final int PIPELINE = 4;

  /** Counts beside the machine, by which it is judged. */
  private static final class Model {
    private final Lifecycle life = new Lifecycle(PIPELINE);
    private final SplittableRandom random;
    private int read;
    private int taken;
    private int left;
    private boolean lastRead;
    private boolean inputEnded;
    private boolean outputEnded;

    Model(int seed) {
      random = new SplittableRandom(seed);
    }

    /** One event that a connection may cause in this state. */
    void step() {
      switch (random.nextInt(9)) {
        case 0 -> life.serverEnds();
        case 1 -> {
          if (life.action() == Action.READ) {
            life.bytesCame();
          }
        }
        case 2, 3 -> readRequest();
        case 4 -> {
          if (life.looks()) {
            life.nothingCame();
          }
        }
        case 5, 6 -> {
          if (read > taken) {
            life.answerTaken();
            taken++;
          }
        }
        case 7 -> {
          life.left();
          left = taken;
        }
        default -> end();
      }
    }

    private void readRequest() {
      if (!life.hasRoom()) {
        return;
      }
      assertThat(lastRead).as("a request behind the last one").isFalse();
      read++;
      if (random.nextInt(8) == 0) {
        life.requestRefused();
        lastRead = true;
      } else {
        lastRead = random.nextInt(8) == 0;
        life.requestRead(lastRead);
      }
    }

    private void end() {
      if (random.nextInt(10) == 0) {
        life.inputEnded();
        inputEnded = true;
      } else if (life.action() == Action.END_OUTPUT) {
        life.outputEnded();
        outputEnded = true;
      } else if (random.nextInt(20) == 0) {
        life.finish();
        lastRead = true;
      }
    }

    void check(State before) {
      State state = life.state();
      boolean back = before == State.QUIET && state == State.LOOKING;
      assertThat(back || state.compareTo(before) >= 0).as("%s -> %s", before, state).isTrue();
      assertThat(life.unanswered()).isEqualTo(read - left);
      assertThat(life.hasRoom()).isEqualTo(!lastRead && read - taken < PIPELINE);
      Action action = life.action();
      if (inputEnded) {
        assertThat(action).isIn(Action.WAIT, Action.CLOSE);
        assertThat(state).isNotEqualTo(State.LOOKING);
      }
      if (action == Action.CLOSE || action == Action.END_OUTPUT) {
        assertThat(life.unanswered()).as("answers that %s would lose", action).isZero();
      }
      if (action == Action.END_OUTPUT) {
        assertThat(outputEnded).isFalse();
        assertThat(lastRead).isTrue();
      }
      assertThat(state == State.LINGERING).isEqualTo(outputEnded);
    }

    /**
     * Answers all that has been read, and ends the client's side: nothing more may be waited for.
     */
    void finish() {
      while (read > taken) {
        life.answerTaken();
        taken++;
      }
      life.left();
      if (life.action() == Action.END_OUTPUT) {
        life.outputEnded();
      }
      life.inputEnded();
      assertThat(life.action()).isEqualTo(Action.CLOSE);
    }
  }

  @Test
  void noOrderOfEventsLosesAnAnswerOrGoesBack() {
    for (int seed = 0; seed < LIVES; seed++) {
      Model model = new Model(seed);
      for (int i = 0; i < 40; i++) {
        State before = model.life.state();
        model.step();
        model.check(before);
      }
      model.finish();
    }
  }

  @Test
  void aLookDoesNotCountWhileBytesAreLeft() {
    Lifecycle life = new Lifecycle(PIPELINE);
    life.serverEnds();
    life.parsed(true);
    life.nothingCame();
    assertThat(life.state()).isEqualTo(State.LOOKING);
    life.parsed(false);
    life.nothingCame();
    assertThat(life.state()).isEqualTo(State.QUIET);
    life.bytesCame();
    assertThat(life.state()).isEqualTo(State.LOOKING);
  }

  /** A connection that does its input and output at moments drawn at random. */
  private static final class Script {
    private static final String GET = "GET /app HTTP/1.1\r\nHost: test\r\n\r\n";

    private final SplittableRandom random;
    private final boolean[] ending = {false};
    private final Conversation conversation;
    private final ByteBuffer sent;
    private final List<Exchange> asked = new ArrayList<>();
    private final StringBuilder received = new StringBuilder();
    private final int requests;
    private ByteBuffer kept = ByteBuffer.allocate(0);
    private int answered;

    Script(int seed) {
      random = new SplittableRandom(seed);
      requests = 1 + random.nextInt(10);
      Limits limits = new Limits(4096, 8192, 65_536, 2 + random.nextInt(3));
      conversation = new Conversation(limits, () -> ending[0], () -> false);
      sent = ByteBuffer.wrap(GET.repeat(requests).getBytes(StandardCharsets.US_ASCII));
    }

    private void take(ByteBuffer in) {
      for (Exchange next = conversation.read(in); next != null; next = conversation.read(in)) {
        asked.add(next);
      }
      kept = in;
    }

    private void receive() {
      boolean looks = conversation.looks();
      int count = Math.min(sent.remaining(), random.nextInt(100));
      ByteBuffer piece = sent.slice(sent.position(), count);
      sent.position(sent.position() + count);
      if (looks && count == 0 && !sent.hasRemaining()) {
        conversation.nothingCame();
      }
      take(piece);
    }

    private void write() {
      for (ByteBuffer next = conversation.next(); next != null; next = conversation.next()) {
        received.append(StandardCharsets.US_ASCII.decode(next));
        conversation.left();
      }
    }

    Action step() {
      if (random.nextInt(20) == 0) {
        ending[0] = true;
      }
      if (answered < asked.size() && random.nextBoolean()) {
        asked.get(answered).answer(Answer.ok("<" + answered + ">"));
        answered++;
      }
      write();
      if (conversation.settled()) {
        conversation.finish(); // As a server does that closes.
      }
      Action action = conversation.action();
      if (kept.hasRemaining() && conversation.takesBytes()) {
        take(kept);
      } else if (action == Action.READ && !kept.hasRemaining()) {
        receive();
      } else if (action == Action.END_OUTPUT) {
        conversation.outputEnded();
        conversation.inputEnded();
      }
      return action;
    }
  }

  @Test
  void aServerThatEndsAnswersAllThatWasSentAndSaysWhichAnswerIsTheLast() {
    for (int seed = 0; seed < LIVES / 5; seed++) {
      Script script = new Script(seed);
      Action action = script.step();
      for (int i = 0; i < 10_000 && action != Action.CLOSE; i++) {
        action = script.step();
      }
      assertThat(action).as("the end of seed %d", seed).isEqualTo(Action.CLOSE);
      StringBuilder bodies = new StringBuilder();
      for (int i = 0; i < script.requests; i++) {
        bodies.append("<").append(i).append(">");
      }
      String received = script.received.toString();
      assertThat(received.replaceAll("[^<]*(<[0-9]+>)", "$1")).isEqualTo(bodies.toString());
      int last = received.indexOf("connection: close");
      assertThat(received.lastIndexOf("connection: close")).as(received).isEqualTo(last);
      if (last >= 0) {
        assertThat(last).isGreaterThan(received.lastIndexOf("HTTP/1.1 200"));
      }
    }
  }
}
