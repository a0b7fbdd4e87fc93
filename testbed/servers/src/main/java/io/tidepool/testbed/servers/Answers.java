package io.tidepool.testbed.servers;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** The server's answers: one line of text each. */
final class Answers {

  private Answers() {}

  static FullHttpResponse ok(String text) {
    return text(HttpResponseStatus.OK, text);
  }

  /** An answer that says in words why there is no other. */
  static FullHttpResponse refusal(HttpResponseStatus status, String why) {
    return text(status, why + "\n");
  }

  /** What a client is told of a failure: one line, whatever the exception's message looks like. */
  static FullHttpResponse failure(Throwable thrown) {
    String message = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
    String line = message.lines().filter(text -> !text.isBlank()).findFirst().orElse("no message");
    return refusal(
        HttpResponseStatus.INTERNAL_SERVER_ERROR, "the application failed: " + line.strip());
  }

  private static FullHttpResponse text(HttpResponseStatus status, String text) {
    // On the heap: an answer whose connection is gone needs no release then.
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            status,
            Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8)));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN);
    response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
    return response;
  }
}
