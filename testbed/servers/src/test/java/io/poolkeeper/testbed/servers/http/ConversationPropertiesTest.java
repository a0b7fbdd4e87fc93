package io.poolkeeper.testbed.servers.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The codec under bytes that nobody would send: nothing is thrown, and cuts change nothing. */
final class ConversationPropertiesTest {

  private static final List<String> PIECES =
      List.of(
          "GET /app HTTP/1.1\r\nHost: test\r\n\r\n",
          "POST /app HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello",
          "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
          "GET /app HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
          "HEAD / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
          "Content-Length: 99999999999999999999\r\n",
          "Transfer-Encoding: chunked\r\n",
          "fffffff\r\n",
          "\r\n",
          "\n",
          "\r",
          " ",
          ":",
          "0\r\n",
          "\u0000");

  /** Good requests with pieces and single bytes strewn in. */
  @Provide
  Arbitrary<String> streams() {
    Arbitrary<String> noise =
        Arbitraries.strings().withCharRange('\u0000', '\u00ff').ofMaxLength(3);
    return Arbitraries.frequencyOf(Tuple.of(6, Arbitraries.of(PIECES)), Tuple.of(1, noise))
        .list()
        .ofMaxSize(12)
        .map(pieces -> String.join("", pieces));
  }

  /** Everything that a connection is told, each request answered with its method and target. */
  private static String answers(String stream, Random cuts, int longest) {
    Conversation conversation = new Conversation(Limits.DEFAULTS, () -> false, () -> false);
    byte[] all = stream.getBytes(StandardCharsets.ISO_8859_1);
    StringBuilder answers = new StringBuilder();
    for (int from = 0; from < all.length; ) {
      int length = Math.min(all.length - from, 1 + cuts.nextInt(longest));
      ByteBuffer in = ByteBuffer.wrap(all, from, length);
      from += length;
      while (in.hasRemaining()) {
        Exchange exchange = conversation.read(in);
        if (exchange != null) {
          exchange.answer(Answer.ok(exchange.request().method() + exchange.request().target()));
        }
        for (ByteBuffer out = conversation.next(); out != null; out = conversation.next()) {
          answers.append(StandardCharsets.ISO_8859_1.decode(out));
        }
      }
    }
    return answers.toString().replaceAll("date: [^\r]*", "date: now");
  }

  @Property(tries = 2_000)
  void whereTheBytesAreCutChangesNothing(@ForAll("streams") String stream, @ForAll long seed) {
    // Leave to send a body is given only where the body has not come with its head.
    String leave = "HTTP/1.1 100 Continue\r\n\r\n";
    String whole = answers(stream, new Random(seed), 1 << 16).replace(leave, "");
    assertThat(answers(stream, new Random(seed), 1).replace(leave, "")).isEqualTo(whole);
    assertThat(answers(stream, new Random(seed), 40).replace(leave, "")).isEqualTo(whole);
  }

  @Property(tries = 2_000)
  void afterARefusalNothingIsSaid(@ForAll("streams") String stream, @ForAll long seed) {
    String answers = answers(stream, new Random(seed), 100);
    int closing = answers.indexOf("connection: close\r\n");
    if (closing >= 0) {
      assertThat(answers.substring(closing)).doesNotContain("HTTP/1.1 ");
    }
  }
}
