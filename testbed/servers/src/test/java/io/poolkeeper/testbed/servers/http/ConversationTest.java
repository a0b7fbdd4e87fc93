package io.poolkeeper.testbed.servers.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.architectures.Shutdown;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of a conversation, for any bytes in any pieces. */
final class ConversationTest {

  private static final String GET = "GET /app HTTP/1.1\r\nHost: test\r\n\r\n";
  private static final String CHUNKED =
      "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String END = "0\r\n\r\n";

  private final Conversation conversation =
      new Conversation(Limits.DEFAULTS, () -> false, () -> false);

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** The requests that end in the text. */
  private List<Exchange> read(String text) {
    List<Exchange> requests = new ArrayList<>();
    ByteBuffer in = bytes(text);
    for (Exchange next = conversation.read(in); next != null; next = conversation.read(in)) {
      requests.add(next);
    }
    return requests;
  }

  /** Returns the bytes that leave now. */
  private String written() {
    StringBuilder all = new StringBuilder();
    for (ByteBuffer next = conversation.next(); next != null; next = conversation.next()) {
      all.append(StandardCharsets.ISO_8859_1.decode(next));
      conversation.left();
    }
    return all.toString();
  }

  private @Nullable String status(String request) {
    read(request).forEach(exchange -> exchange.answer(Answer.ok("fine")));
    String written = written();
    return written.isEmpty() ? null : written.split(" ", 3)[1];
  }

  @Test
  void anAnswerIsWhatItsRequestAsksFor() {
    read(GET).get(0).answer(Answer.ok("fine"));
    assertThat(written())
        .matches(
            "HTTP/1\\.1 200 OK\r\ndate: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9: ]{13} GMT\r\n"
                + "content-type: text/plain\r\ncontent-length: 4\r\n\r\nfine");
    assertThat(conversation.busy()).isFalse();
  }

  @Test
  void aRequestMayBeSplitAnywhere() {
    String post = CHUNKED + "3;name=value\r\nabc\r\n0\r\nTrailer: x\r\n\r\n";
    for (int split = 1; split < post.length(); split++) {
      assertThat(read(post.substring(0, split))).isEmpty();
      List<Exchange> requests = read(post.substring(split));
      assertThat(requests).as("split at %d", split).hasSize(1);
      requests.get(0).answer(Answer.ok("fine"));
      assertThat(written()).endsWith("fine");
    }
  }

  /**
   * Found so: an answer that a thread had taken and not yet begun to write was counted by nobody,
   * so that a server that was stopped in that moment lost it without a word.
   */
  @Test
  void anAnswerThatWasTakenCountsUntilItHasLeft() {
    read(GET).get(0).answer(Answer.ok("fine"));
    assertThat(conversation.next()).isNotNull();
    assertThat(conversation.unanswered()).isEqualTo(1);
    assertThat(conversation.busy()).isTrue();
    conversation.left();
    assertThat(conversation.unanswered()).isZero();
    assertThat(conversation.busy()).isFalse();
  }

  @Test
  void aConnectionIsCutOffOnce() {
    read(GET + GET);
    Shutdown ending = new Shutdown();
    ending.cut(conversation, false);
    ending.cut(conversation, false);
    assertThat(ending.losses()).containsExactly("2 requests unanswered at the end");
  }

  @Test
  void answersLeaveInTheOrderOfTheRequests() {
    List<Exchange> requests = read(GET.repeat(3));
    requests.get(2).answer(Answer.ok("third"));
    assertThat(written()).isEmpty();
    requests.get(0).answer(Answer.ok("first"));
    assertThat(written()).endsWith("first");
    requests.get(1).answer(Answer.ok("second"));
    assertThat(written()).containsSubsequence("second", "third");
    assertThat(conversation.busy()).isFalse();
  }

  @Test
  void aFullPipelineLeavesTheBytesWhereTheyAre() {
    ByteBuffer in = bytes(GET.repeat(100));
    List<Exchange> underWay = new ArrayList<>();
    for (Exchange next = conversation.read(in); next != null; next = conversation.read(in)) {
      underWay.add(next);
    }
    assertThat(underWay).hasSize(Limits.DEFAULTS.pipeline());
    assertThat(conversation.takesBytes()).isFalse();
    underWay.get(0).answer(Answer.ok("fine"));
    assertThat(written()).endsWith("fine");
    assertThat(conversation.takesBytes()).isTrue();
    assertThat(conversation.read(in)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "garbage\r\n\r\n",
        "GET\r\n\r\n",
        "GET  /app HTTP/1.1\r\nHost: test\r\n\r\n",
        "GET /app HTTP/9\r\n\r\n",
        "G\u00c4T /app HTTP/1.1\r\nHost: test\r\n\r\n",
        "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u00fc\u0003\u0003 TLS speaks here\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: -1\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: +1\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: \r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: many\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: 1, 1\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        CHUNKED + "1\n" + "a\r\n" + END,
        CHUNKED + "1\r\na\n" + END,
        CHUNKED + "0\n\r\n",
        CHUNKED + "0\r\n\n",
        CHUNKED + "0\r\nX: y\n\r\n",
        CHUNKED + "5 5\r\nabcde\r\n" + END,
        CHUNKED + "5 xyz\r\nabcde\r\n" + END,
        CHUNKED + "5 \r\nabcde\r\n" + END,
        CHUNKED + "5;\r\nabcde\r\n" + END,
        CHUNKED + "5;a=\r\nabcde\r\n" + END,
        CHUNKED + "5;a=\"b\r\nabcde\r\n" + END,
        CHUNKED + "5;a=b c\r\nabcde\r\n" + END,
        CHUNKED + "5;a\rb\r\nabcde\r\n" + END,
        CHUNKED + "5;a=\"\u0000\"\r\nabcde\r\n" + END,
        CHUNKED + "0\r\nno colon\r\n\r\n",
        CHUNKED + "0\r\nX: \u0000\r\n\r\n",
        CHUNKED + "0\r\nX : y\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: user@a\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: a:b\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: a:1:2\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: a%2\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: [::1\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: []\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: [::1]a\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost : test\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\n folded\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: te\u0000st\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: te\rst\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\n: nameless\r\n\r\n",
        "GET /app HTTP/1.1\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "POST /app HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
            + END
            + GET,
        "POST /app HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
            + END
            + GET,
        "POST /app HTTP/1.0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + END + GET,
        "POST /app HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + END + GET,
      })
  void malformedIs400AndNothingBehindItIsServed(String request) {
    assertThat(read(request + GET)).isEmpty();
    assertThat(written()).startsWith("HTTP/1.1 400 ").containsOnlyOnce("HTTP/1.1");
    assertThat(conversation.action()).isEqualTo(Lifecycle.Action.END_OUTPUT);
    assertThat(read(GET)).isEmpty();
    assertThat(written()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'GET /app HTTP/9.9\r\nHost: test\r\n\r\n', 505",
    "'GET /app HTTP/2.0\r\nHost: test\r\n\r\n', 505",
    "'GET /app HTTP/0.9\r\n\r\n', 505",
    "'POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: gzip\r\n\r\n', 501",
    "'POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n', 501",
    "'POST /app HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\nab', 501",
    "'BREW /app HTTP/1.1\r\nHost: a\r\n\r\n', 501",
    "'get /app HTTP/1.1\r\nHost: a\r\n\r\n', 501",
    "'TRACE /app HTTP/1.1\r\nHost: a\r\n\r\n', 501",
    "'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n', 501",
    "'POST /app HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n', 413",
    "'POST /app HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n', 413",
    "'POST /app HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n', 413",
  })
  void whatIsNotServedIsRefusedWithItsOwnStatus(String request, String status) {
    assertThat(status(request)).isEqualTo(status);
    assertThat(conversation.action()).isEqualTo(Lifecycle.Action.END_OUTPUT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "a:",
        "a:80",
        "127.0.0.1:8080",
        "[::1]",
        "[::1]:80",
        "%41.b",
        "a_b",
        "a "
      })
  void aHostMayHaveAnyValidForm(String host) {
    assertThat(status("GET /app HTTP/1.1\r\nHost: " + host + "\r\n\r\n")).isEqualTo("200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"3;a", "3 ; a = b ; c", "3;a=\"b \\\" c\"", "003", "3;a=b;c=\"\""})
  void anExtensionOfAChunkMayHaveAnyValidForm(String line) {
    assertThat(status(CHUNKED + line + "\r\nabc\r\n0;last\r\nTrailer: x\r\n\r\n")).isEqualTo("200");
  }

  @Test
  void aRefusalOfAHeadHasALengthAndNoBody() {
    read("HEAD /app HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    assertThat(written())
        .startsWith("HTTP/1.1 413 ")
        .contains("content-length: ")
        .endsWith("\r\n\r\n");
  }

  @Test
  void whatComesBehindTheLastAnswerIsDroppedAndNotForEver() {
    read("garbage\r\n\r\n");
    ByteBuffer million = ByteBuffer.allocate(1_000_000);
    int borne = 0;
    assertThat(written()).startsWith("HTTP/1.1 400 ");
    assertThat(conversation.action()).isEqualTo(Lifecycle.Action.END_OUTPUT);
    conversation.outputEnded();
    while (conversation.action() == Lifecycle.Action.READ) {
      assertThat(conversation.read(million.clear())).isNull();
      assertThat(million.hasRemaining()).isFalse();
      borne++;
    }
    assertThat(conversation.action()).isEqualTo(Lifecycle.Action.CLOSE);
    assertThat(borne).isBetween(1, 16);
  }

  @Test
  void whatIsTooLongIsRefusedBeforeItsEnd() {
    assertThat(status("GET /" + "x".repeat(5_000))).isEqualTo("414");
    assertThat(new ConversationTest().status("GET / HTTP/1.1\r\nX: " + "x".repeat(9_000)))
        .isEqualTo("431");
    assertThat(new ConversationTest().status("GET / HTTP/1.1\r\n" + "X: y\r\n".repeat(2_000)))
        .isEqualTo("431");
    String chunk = "4000\r\n" + "x".repeat(0x4000) + "\r\n";
    assertThat(new ConversationTest().status(CHUNKED + chunk.repeat(5))).isEqualTo("413");
    assertThat(new ConversationTest().status(CHUNKED + "0\r\n" + "X: y\r\n".repeat(2_000)))
        .isEqualTo("431");
  }

  @Test
  void chunksUpToTheLargestBodyAreServed() {
    String chunk = "4000\r\n" + "x".repeat(0x4000) + "\r\n";
    assertThat(status(CHUNKED + chunk.repeat(4) + END)).isEqualTo("200");
  }

  @Test
  void malformedBehindAGoodOneLeavesTheGoodOneItsAnswer() {
    Exchange good = read(GET + "garbage\r\n\r\n").get(0);
    assertThat(written()).isEmpty();
    good.answer(Answer.ok("fine"));
    assertThat(written()).containsSubsequence("200", "fine", "400", "connection: close");
  }

  @Test
  void aClientThatClosesIsToldSoAndServedNoFurther() {
    List<Exchange> requests =
        read("GET /app HTTP/1.1\r\nHost: test\r\nConnection: TE, Close\r\n\r\n" + GET);
    assertThat(requests).hasSize(1);
    requests.get(0).answer(Answer.ok("fine"));
    assertThat(written()).contains("connection: close\r\n");
    assertThat(conversation.action()).isEqualTo(Lifecycle.Action.END_OUTPUT);
  }

  @Test
  void aServerThatEndsSaysSoWithTheAnswerToTheNewestRequest() {
    boolean[] ending = {false};
    Conversation ends = new Conversation(Limits.DEFAULTS, () -> ending[0], () -> false);
    ByteBuffer in = bytes(GET + GET);
    Exchange first = Objects.requireNonNull(ends.read(in));
    Exchange second = Objects.requireNonNull(ends.read(in));
    assertThat(ends.looks()).isFalse();
    ending[0] = true;
    first.answer(Answer.ok("first"));
    second.answer(Answer.ok("second"));
    assertThat(text(ends.next())).doesNotContain("connection: close");
    // Which one is the newest is known once it was looked whether more has come.
    assertThat(ends.looks()).isTrue();
    assertThat(ends.ready()).isFalse();
    assertThat(ends.next()).isNull();
    Exchange third = Objects.requireNonNull(ends.read(bytes(GET)));
    assertThat(text(ends.next())).contains("second").doesNotContain("connection: close");
    third.answer(Answer.ok("third"));
    assertThat(ends.looks()).isTrue();
    ends.nothingCame();
    assertThat(ends.settled()).isFalse();
    assertThat(text(ends.next())).contains("third", "connection: close");
    assertThat(ends.settled()).isFalse();
    ends.left();
    assertThat(ends.settled()).isTrue();
    assertThat(ends.read(bytes(GET))).isNull();
  }

  @Test
  void aServerThatEndsWaitsForTheBytesItHas() {
    Conversation ends = new Conversation(Limits.DEFAULTS, () -> true, () -> false);
    ByteBuffer in = bytes(GET + "GET /app HT");
    Exchange only = Objects.requireNonNull(ends.read(in));
    only.answer(Answer.ok("only"));
    assertThat(ends.next()).isNull();
    assertThat(ends.read(in)).isNull();
    ends.nothingCame();
    assertThat(text(ends.next())).contains("only", "connection: close");
  }

  @Test
  void aServerThatHearsNoMoreAnswersWhatItHasRead() {
    boolean[] refusing = {false};
    Conversation ends = new Conversation(Limits.DEFAULTS, () -> true, () -> refusing[0]);
    ByteBuffer in = bytes(GET + GET);
    Exchange only = Objects.requireNonNull(ends.read(in));
    only.answer(Answer.ok("only"));
    assertThat(ends.next()).isNull();
    refusing[0] = true;
    assertThat(ends.read(in)).isNull();
    assertThat(in.hasRemaining()).isFalse();
    assertThat(text(ends.next())).contains("only", "connection: close");
    ends.left();
    assertThat(ends.settled()).isTrue();
  }

  private static String text(@Nullable ByteBuffer bytes) {
    return StandardCharsets.ISO_8859_1.decode(Objects.requireNonNull(bytes)).toString();
  }

  @Test
  void speaksToOldClientsAsTheyExpect() {
    read("GET /app HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").get(0).answer(Answer.ok("fine"));
    assertThat(written()).contains("connection: keep-alive");
    read("GET /app HTTP/1.0\r\n\r\n").get(0).answer(Answer.ok("fine"));
    assertThat(written()).contains("connection: close");
    assertThat(conversation.action()).isEqualTo(Lifecycle.Action.END_OUTPUT);
  }

  @Test
  void anAnswerToHeadHasALengthAndNoBody() {
    read("HEAD /app HTTP/1.1\r\nHost: test\r\n\r\n").get(0).answer(Answer.ok("fine"));
    assertThat(written()).contains("content-length: 4").endsWith("\r\n\r\n");
  }

  @Test
  void anExpectationIsMetOrRefusedInItsTurn() {
    String head = "POST /app HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: ";
    assertThat(read(head + "3\r\n\r\n")).isEmpty();
    assertThat(written()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
    read("abc").get(0).answer(Answer.ok("fine"));
    assertThat(written()).contains("200");
    Exchange before = read(GET + head + "1000000\r\n\r\n").get(0);
    assertThat(written()).isEmpty();
    before.answer(Answer.ok("fine"));
    assertThat(written()).containsSubsequence("200", "413").doesNotContain("100 Continue");
  }

  @Test
  void noLeaveIsGivenForABodyThatHasComeAlready() {
    String head = "POST /app HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: ";
    read(head + "3\r\n\r\nabc").get(0).answer(Answer.ok("fine"));
    assertThat(written()).contains("200").doesNotContain("100 Continue");
  }

  @Test
  void noLeaveIsGivenOnceTheBodyHasComeUnasked() {
    String head = "POST /app HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: ";
    Exchange before = read(GET + head + "3\r\n\r\n").get(0);
    Exchange after = read("abc").get(0);
    before.answer(Answer.ok("fine"));
    after.answer(Answer.ok("fine"));
    assertThat(written()).containsSubsequence("200", "200").doesNotContain("100 Continue");
  }

  @Test
  void emptyLinesBetweenRequestsAndBareLineFeedsAreBorne() {
    assertThat(read("\r\n\n" + GET + "\r\n" + GET.replace("\r", ""))).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "http://test/app, /app",
    "HTTP://test:80/app?a=/b, /app",
    "http://test, /",
    "http://test?a=b, /",
    "/http://test/app, /http://test/app",
    "ftp://test/app, ftp://test/app",
  })
  void aTargetMayBeInAbsoluteForm(String target, String path) {
    Request request = read("GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n").get(0).request();
    assertThat(request.path()).isEqualTo(path);
  }

  @Test
  void aPathIsTheTargetWithoutItsQuery() {
    Request request = read("GET /app?a=b?c HTTP/1.1\r\nHost: test\r\n\r\n").get(0).request();
    assertThat(request.path()).isEqualTo("/app");
  }

  @Test
  void aFailureIsOneLineWhateverItsMessage() {
    read(GET).get(0).answer(Answer.failure(new IllegalStateException("\n first\nsecond")));
    assertThat(written()).startsWith("HTTP/1.1 500").endsWith("the application failed: first\n");
  }
}
