package io.poolkeeper.testbed.load.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.load.http.ResponseParser.Result;
import java.nio.ByteBuffer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseParserTest {

  /** An answer and what there is to know about it. */
  private record Answer(
      String text, boolean headOnly, int status, boolean reusable, boolean endsWithClose) {}

  private final ResponseParser parser = new ResponseParser();

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.replace("~", "\r\n").getBytes(ISO_8859_1));
  }

  private Result parse(String text) {
    parser.expect(false, "");
    return parser.parse(bytes(text));
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void findsTheEndHoweverTheBytesAreCut(@ForAll("answers") Answer answer) {
    int length = bytes(answer.text).remaining();
    for (int cut = 0; cut <= length; cut++) {
      ByteBuffer all = bytes(answer.text + "HTTP");
      parser.expect(answer.headOnly, "");
      all.limit(cut);
      Result result = parser.parse(all);
      assertThat(result == Result.COMPLETE).isEqualTo(cut == length && !answer.endsWithClose);
      assertThat(parser.begun()).isEqualTo(cut > 0);
      if (result == Result.MORE) {
        assertThat(all.position()).isEqualTo(cut);
        all.limit(answer.endsWithClose ? length : length + 4);
        result = parser.parse(all);
      }
      check(answer, result, all.position(), length);
    }
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void findsTheEndByteByByte(@ForAll("answers") Answer answer) {
    ByteBuffer all = bytes(answer.text);
    int length = all.limit();
    parser.expect(answer.headOnly, "");
    Result result = Result.MORE;
    for (int end = 1; end <= length; end++) {
      assertThat(result).isEqualTo(Result.MORE);
      result = parser.parse(all.limit(end));
    }
    check(answer, result, all.position(), length);
  }

  private void check(Answer answer, Result result, int position, int length) {
    assertThat(parser.problem()).isEmpty();
    assertThat(result).isEqualTo(answer.endsWithClose ? Result.MORE : Result.COMPLETE);
    assertThat(position).isEqualTo(length);
    assertThat(parser.endsWithClose()).isEqualTo(answer.endsWithClose);
    assertThat(parser.status()).isEqualTo(answer.status);
    assertThat(parser.reusable()).isEqualTo(answer.reusable);
  }

  @Provide
  Arbitrary<Answer> answers() {
    Arbitrary<String> interim =
        Arbitraries.of("", "", "HTTP/1.1 100 Continue~~", "HTTP/1.1 103 x~Link: <a>~~");
    Arbitrary<Integer> version = Arbitraries.of(1, 1, 1, 0);
    Arbitrary<Integer> status = Arbitraries.of(200, 201, 204, 304, 404, 503, 599);
    Arbitrary<String> connection =
        Arbitraries.of("", "", "close", "keep-alive", "Keep-Alive, upgrade", "x,CLOSE");
    Arbitrary<String> other =
        Arbitraries.of("", "Server: x~", "X-Empty:~", "A: b~ folded: 7~", "Date: a:b~B: \u00e9~");
    Arbitrary<String> body = bodies();
    Arbitrary<Boolean> headOnly = Arbitraries.of(false, false, false, true);
    return Combinators.combine(interim, version, status, connection, other, body, headOnly)
        .as(ResponseParserTest::answer)
        .flatMap(
            answer ->
                Arbitraries.of(
                    answer,
                    // Lines may end without the carriage return; no body here has one.
                    new Answer(
                        answer.text.replace("~", "\n"),
                        answer.headOnly,
                        answer.status,
                        answer.reusable,
                        answer.endsWithClose)));
  }

  /** Framing headers, then a bar, then the body. */
  private static Arbitrary<String> bodies() {
    Arbitrary<String> content =
        Arbitraries.strings().withChars("ab\n: 0;").ofMinLength(0).ofMaxLength(40);
    Arbitrary<String> sized =
        content.map(text -> "Content-Length: %d \t~|%s".formatted(text.length(), text));
    Arbitrary<String> chunked =
        Combinators.combine(
                content.filter(text -> !text.isEmpty()).list().ofMaxSize(3),
                Arbitraries.of("", ";x", " ; y=\"z\""),
                Arbitraries.of("", "Trailer: 1~"))
            .as(
                (chunks, extension, trailer) -> {
                  StringBuilder text = new StringBuilder("transfer-encoding:\tChunked~|");
                  for (String chunk : chunks) {
                    text.append(Integer.toHexString(chunk.length())).append(extension);
                    text.append('~').append(chunk).append('~');
                  }
                  return text + "0~" + trailer + '~';
                });
    return Arbitraries.oneOf(sized, chunked, content.map(text -> "|" + text));
  }

  private static Answer answer(
      String interim,
      int version,
      int status,
      String connection,
      String other,
      String body,
      boolean headOnly) {
    String framing = body.substring(0, body.indexOf('|'));
    boolean bodyless = headOnly || status == 204 || status == 304;
    boolean toClose = framing.isEmpty() && !bodyless;
    boolean keeps =
        version == 1 || connection.toLowerCase(java.util.Locale.ROOT).contains("keep-alive");
    boolean closes = connection.toLowerCase(java.util.Locale.ROOT).contains("close");
    String text =
        interim
            + "HTTP/1.%d %d reason~".formatted(version, status)
            + other
            + (connection.isEmpty() ? "" : "Connection: " + connection + "~")
            + framing
            + "~"
            + (bodyless ? "" : body.substring(body.indexOf('|') + 1));
    return new Answer(text, headOnly, status, keeps && !closes && !toClose, toClose);
  }

  /** The parser never throws, nor takes bytes for ever without a verdict. */
  @Property
  void survivesGarbage(@ForAll("garbage") String text) {
    ByteBuffer in = bytes(text);
    parser.expect(false, "");
    Result result = parser.parse(in);

    if (result == Result.MORE) {
      assertThat(in.hasRemaining()).isFalse();
    }
    assertThat(result == Result.MALFORMED).isEqualTo(!parser.problem().isEmpty());
  }

  @Provide
  Arbitrary<String> garbage() {
    Arbitrary<String> piece =
        Arbitraries.of(
            "HTTP/1.1 200 OK~",
            "~",
            "Content-Length: ",
            "Transfer-Encoding: chunked~",
            "5",
            "0~",
            "\0",
            ":",
            " ",
            "a",
            "\u00ff",
            "Connection: ,;,close~",
            "ffffffffffffffff~",
            ";",
            "\n");
    return piece.list().ofMaxSize(20).map(pieces -> String.join("", pieces));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SSH-2.0-OpenSSH_9.2~                                | not a status line
          HTTP/2.0 200 OK~                                    | not a status line
          HTTP/1.1 2x0 OK~                                    | not a status line
          HTTP/1.1 2000 OK~                                   | not a status line
          HTTP/1.1 099 no~                                    | not a status line
          HTTP/1.1 600 no~                                    | not a status line
          HTTP/1.1 101 Switching Protocols~                   | not a status line
          ~HTTP/1.1 200 OK~                                   | not a status line
          HTTP/1.1 200 OK~no colon~                           | bad header name
          HTTP/1.1 200 OK~nocolon~                            | header without name
          HTTP/1.1 200 OK~: nothing~                          | header without name
          HTTP/1.1 200 OK~Content-Length : 5~                 | bad header name
          HTTP/1.1 200 OK~Content-Length: -5~                 | bad content length
          HTTP/1.1 200 OK~Content-Length: 5, 5~               | bad content length
          HTTP/1.1 200 OK~Content-Length:~                    | bad content length
          HTTP/1.1 200 OK~Content-Length: 9999999999999999999~| bad content length
          HTTP/1.1 200 OK~Content-Length: 5~Content-Length: 6~| bad content length
          HTTP/1.1 200 OK~Content-Length: 5~ 6~               | folded header
          HTTP/1.1 200 OK~Transfer-Encoding: gzip~            | unknown transfer coding
          HTTP/1.1 200 OK~Transfer-Encoding: gzip, chunked~   | unknown transfer coding
          HTTP/1.1 200 OK~Transfer-Encoding: chunked~Content-Length: 5~~ | both content length and
          HTTP/1.1 200 OK~Transfer-Encoding: chunked~~xyz~    | bad chunk size
          HTTP/1.1 200 OK~Transfer-Encoding: chunked~~5 5~    | bad chunk size
          HTTP/1.1 200 OK~Transfer-Encoding: chunked~~~       | bad chunk size
          HTTP/1.1 200 OK~Transfer-Encoding: chunked~~fffffffffffffffff~ | bad chunk size
          HTTP/1.1 200 OK~Transfer-Encoding: chunked~~2~abc~  | chunk longer than its size
          """)
  void saysWhatIsMalformed(String text, String problem) {
    assertThat(parse(text)).isEqualTo(Result.MALFORMED);
    assertThat(parser.problem()).startsWith(problem);
  }

  @Test
  void limitsLinesAndHeaders() {
    String line = "a".repeat(ResponseParser.LONGEST_LINE - "x: \r".length());
    String begin = "HTTP/1.1 200 OK~";

    assertThat(parse(begin + "x: " + line + "~Content-Length: 0~~")).isEqualTo(Result.COMPLETE);
    assertThat(parse(begin + "x: " + line + "aa")).isEqualTo(Result.MALFORMED);
    assertThat(parser.problem()).isEqualTo("line too long");
    assertThat(parse(begin + ("x: " + line + "~").repeat(5))).isEqualTo(Result.MALFORMED);
    assertThat(parser.problem()).isEqualTo("header too large");
  }

  @Test
  void equalLengthsAreOneLength() {
    assertThat(parse("HTTP/1.1 200 OK~Content-Length: 2~Content-Length: 2~~ab"))
        .isEqualTo(Result.COMPLETE);
  }

  @ParameterizedTest
  @ValueSource(longs = {3_000_000_000L, 999_999_999_999_999_999L})
  void countsBodiesBeyondTheRangeOfInt(long length) {
    parser.expect(false, "");
    assertThat(parser.parse(bytes("HTTP/1.1 200 OK~Content-Length: " + length + "~~")))
        .isEqualTo(Result.MORE);
    assertThat(parser.parse(ByteBuffer.allocate(1000))).isEqualTo(Result.MORE);
  }

  @Test
  void oneAnswerLeavesNothingToTheNext() {
    assertThat(parse("HTTP/1.0 503 busy~Transfer-Encoding: chunked~Connection: close~~3~abc~0~~"))
        .isEqualTo(Result.COMPLETE);
    assertThat(parse("HTTP/1.1 200 OK~Content-Length: 1~~x")).isEqualTo(Result.COMPLETE);
    assertThat(parser.status()).isEqualTo(200);
    assertThat(parser.reusable()).isTrue();

    assertThat(parse("garbage~")).isEqualTo(Result.MALFORMED);
    assertThat(parse("HTTP/1.1 204 No Content~~")).isEqualTo(Result.COMPLETE);
    assertThat(parser.problem()).isEmpty();
  }
}
