package io.tidepool.testbed.servers;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;

/**
 * Decodes requests, and finds those malformed whose end two readers could see at different places:
 * whoever stands between client and server may take for a body what is served here as the next
 * request (RFC 9112, sections 6.1 and 11.2). Netty alone would choose one reading in silence.
 */
final class RequestDecoder extends HttpRequestDecoder {

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws Exception {
    int before = out.size();
    super.decode(context, in, out);
    for (Object decoded : out.subList(before, out.size())) {
      if (decoded instanceof HttpRequest request
          && request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)
          && request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
        request.setDecoderResult(
            DecoderResult.failure(
                new IllegalArgumentException("HTTP/1.0 knows no transfer encoding")));
      }
    }
  }

  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
  }
}
