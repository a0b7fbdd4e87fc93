package io.poolkeeper.testbed.applications.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * One connection to the {@link DownstreamServer}. Its clients send the next request after the
 * answer to the one before.
 */
final class DownstreamHandler extends ChannelInboundHandlerAdapter {

  /** Pause after each byte of an answer that drips. */
  private static final long DRIP_MILLIS = 50;

  private final DownstreamServer server;
  private String path = "";

  DownstreamHandler(DownstreamServer server) {
    this.server = server;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      if (message instanceof HttpRequest request) {
        path = path(request.uri());
      }
      if (message instanceof LastHttpContent) {
        take(context, path);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  /** The path of a request, without its slash and its query. */
  private static String path(String uri) {
    int query = uri.indexOf('?');
    String whole = query < 0 ? uri : uri.substring(0, query);
    return whole.startsWith("/") ? whole.substring(1) : whole;
  }

  private void take(ChannelHandlerContext context, String wanted) {
    if (server.fault() == Fault.HANG) {
      server.hold(() -> take(context, wanted));
      return;
    }
    if (server.fault() == Fault.RESET) {
      context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
      var unused = context.close();
      return;
    }
    ServiceCentre centre = server.centres().get(wanted);
    if (centre == null) {
      String paths = String.join(", /", server.centres().keySet());
      write(context, "404 Not Found", "nothing here; there are /" + paths + "\n");
    } else {
      centre.accept(() -> answer(context, wanted));
    }
  }

  private void answer(ChannelHandlerContext context, String wanted) {
    if (server.fault() == Fault.HANG) {
      server.hold(() -> answer(context, wanted));
    } else {
      write(context, "200 OK", wanted + "\n");
    }
  }

  private void write(ChannelHandlerContext context, String status, String body) {
    if (context.isRemoved()) {
      return; // The client has gone, and with it the handlers of its connection.
    }
    String head =
        "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
            .formatted(status, body.length());
    ByteBuf bytes = Unpooled.copiedBuffer(head + body, StandardCharsets.US_ASCII);
    // Past the encoder: it knows of messages and not of single bytes.
    ChannelHandlerContext wire = context.pipeline().firstContext();
    if (server.fault() == Fault.DRIP) {
      drip(wire, bytes);
    } else {
      var unused = wire.writeAndFlush(bytes);
    }
  }

  private void drip(ChannelHandlerContext wire, ByteBuf rest) {
    if (!rest.isReadable() || !wire.channel().isActive()) {
      rest.release();
      return;
    }
    var unusedWrite = wire.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {rest.readByte()}));
    var unused =
        wire.executor().schedule(() -> drip(wire, rest), DRIP_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    var unused = context.close(); // A client has gone, or sends what is no HTTP.
  }
}
