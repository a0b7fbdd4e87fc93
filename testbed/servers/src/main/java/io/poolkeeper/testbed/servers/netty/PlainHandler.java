package io.poolkeeper.testbed.servers.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.EventExecutorGroup;
import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.servers.http.HttpDate;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Answers on the event loop, behind Netty's own codec. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failed writes in exceptionCaught.
final class PlainHandler extends SimpleChannelInboundHandler<HttpObject> {

  private final String path;
  private final Application application;

  private PlainHandler(String path, Application application) {
    this.path = path;
    this.application = application;
  }

  /**
   * Adds codec and handler.
   *
   * @param group runs the handler; null for the event loop
   */
  static void addTo(
      ChannelPipeline pipeline,
      @Nullable EventExecutorGroup group,
      String path,
      Application application) {
    pipeline.addLast(new HttpServerCodec()).addLast(group, new PlainHandler(path, application));
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
    if (!(message instanceof HttpRequest request)) {
      return; // A body, of which nothing is wanted.
    }
    FullHttpResponse response = answer(request);
    response
        .headers()
        .set(HttpHeaderNames.DATE, HttpDate.NOW.text())
        .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
        .setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
    if (HttpUtil.isKeepAlive(request)) {
      context.write(response, context.voidPromise());
    } else {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      context.write(response).addListener(ChannelFutureListener.CLOSE);
    }
  }

  private FullHttpResponse answer(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return text(HttpResponseStatus.BAD_REQUEST, "this is no HTTP request\n");
    }
    if (!request.uri().equals(path)) {
      return text(HttpResponseStatus.NOT_FOUND, "nothing here; try " + path + "\n");
    }
    try {
      return text(HttpResponseStatus.OK, application.answer());
    } catch (Exception e) {
      return text(HttpResponseStatus.INTERNAL_SERVER_ERROR, e + "\n");
    }
  }

  private static FullHttpResponse text(HttpResponseStatus status, String text) {
    return new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1,
        status,
        Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.flush();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close(); // A client that goes away is no news.
  }
}
