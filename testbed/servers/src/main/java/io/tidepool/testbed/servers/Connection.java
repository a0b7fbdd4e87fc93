package io.tidepool.testbed.servers;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.timeout.IdleStateEvent;
import io.tidepool.testbed.applications.Application;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One connection: hands its requests to an executor as they come in and writes the answers in the
 * order of the requests, whichever is ready first.
 *
 * <p>All fields belong to the event loop but {@link #flushing}. An answer that becomes ready on
 * another thread is put into its exchange, and the loop is told once, however many there are.
 *
 * <p>A client that sends faster than it is served, or than it takes its answers, is not read from
 * until it has caught up. It relies on a {@link io.netty.handler.flow.FlowControlHandler} before
 * it, which keeps back what has been decoded already.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failed writes in exceptionCaught.
final class Connection extends SimpleChannelInboundHandler<FullHttpRequest> {

  private static final System.Logger LOG = System.getLogger("io.tidepool.testbed.servers");

  /** Passed on in place of a request whose body is too large. */
  enum Refused {
    BODY_TOO_LARGE
  }

  /** A request and, when it is ready, its answer. */
  private static final class Exchange {
    private final boolean keepAlive;
    private final boolean head;
    private final HttpVersion version;
    private volatile @Nullable FullHttpResponse answer;

    Exchange(boolean keepAlive, boolean head, HttpVersion version) {
      this.keepAlive = keepAlive;
      this.head = head;
      this.version = version;
    }
  }

  private final String path;
  private final Application application;
  private final Executor executor;
  private final int pipeline;
  private final ArrayDeque<Exchange> underWay = new ArrayDeque<>();
  private final AtomicBoolean flushing = new AtomicBoolean();
  private boolean closing;

  Connection(String path, Application application, Executor executor, int pipeline) {
    this.path = path;
    this.application = application;
    this.executor = executor;
    this.pipeline = pipeline;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
    if (closing) {
      return;
    }
    FullHttpResponse refusal = refusal(request);
    if (refusal != null) {
      refuseAndClose(context, refusal);
      return;
    }
    Exchange exchange = begin(context, request);
    if (path(request.uri()).equals(path)) {
      handOver(context, exchange);
    } else {
      exchange.answer = Answers.refusal(HttpResponseStatus.NOT_FOUND, "nothing here; try " + path);
      flush(context);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (message == Refused.BODY_TOO_LARGE) {
      refuseAndClose(
          context,
          Answers.refusal(
              HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "the body of the request is too large"));
    } else {
      super.channelRead(context, message);
    }
  }

  private static String path(String uri) {
    int query = uri.indexOf('?');
    return query < 0 ? uri : uri.substring(0, query);
  }

  /** Why a request cannot be served, or null if it can. */
  private static @Nullable FullHttpResponse refusal(FullHttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return malformed(request.decoderResult().cause());
    }
    if (request.protocolVersion().majorVersion() != 1) {
      return Answers.refusal(
          HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED, "HTTP/1.1 and HTTP/1.0 are spoken here");
    }
    // Chunks have been put together by now.
    if (request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)) {
      return Answers.refusal(
          HttpResponseStatus.NOT_IMPLEMENTED, "no transfer encoding but chunked is known here");
    }
    int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
    if (hosts > 1 || (hosts == 0 && !request.protocolVersion().equals(HttpVersion.HTTP_1_0))) {
      return Answers.refusal(HttpResponseStatus.BAD_REQUEST, "the request must name one host");
    }
    return null;
  }

  private static FullHttpResponse malformed(Throwable cause) {
    if (cause instanceof TooLongHttpHeaderException) {
      return Answers.refusal(
          HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the request's header is too large");
    }
    if (cause instanceof TooLongHttpLineException) {
      return Answers.refusal(
          HttpResponseStatus.REQUEST_URI_TOO_LONG, "the request's first line is too long");
    }
    return Answers.refusal(HttpResponseStatus.BAD_REQUEST, "this is no HTTP request");
  }

  private Exchange begin(ChannelHandlerContext context, FullHttpRequest request) {
    Exchange exchange =
        new Exchange(
            HttpUtil.isKeepAlive(request),
            request.method().equals(HttpMethod.HEAD),
            request.protocolVersion());
    // What follows such a request is not served (RFC 9112, section 9.6).
    closing = !exchange.keepAlive;
    underWay.add(exchange);
    readOrWait(context);
    return exchange;
  }

  /** Reads on if there is room for requests and the client takes its answers. */
  private void readOrWait(ChannelHandlerContext context) {
    ChannelConfig config = context.channel().config();
    // Two levels, or a full pipeline would switch with every request.
    int room = config.isAutoRead() ? pipeline : pipeline / 2 + 1;
    config.setAutoRead(!closing && underWay.size() < room && context.channel().isWritable());
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (!closing) {
      readOrWait(context);
    }
  }

  private void handOver(ChannelHandlerContext context, Exchange exchange) {
    try {
      executor.execute(() -> serve(context, exchange));
    } catch (RejectedExecutionException e) {
      exchange.answer =
          Answers.refusal(HttpResponseStatus.SERVICE_UNAVAILABLE, "too busy, try again later");
      flush(context);
    }
  }

  private void serve(ChannelHandlerContext context, Exchange exchange) {
    try {
      exchange.answer = Answers.ok(application.answer());
    } catch (Exception e) {
      exchange.answer = Answers.failure(e);
    } catch (Throwable e) { // The client gets its answer; the pool sees the error as it was.
      exchange.answer = Answers.failure(e);
      throw e;
    } finally {
      answered(context);
    }
  }

  private void answered(ChannelHandlerContext context) {
    if (context.executor().inEventLoop()) {
      flush(context);
    } else if (flushing.compareAndSet(false, true)) {
      context.executor().execute(() -> flush(context));
    }
  }

  private void refuseAndClose(ChannelHandlerContext context, FullHttpResponse refusal) {
    closing = true;
    context.channel().config().setAutoRead(false);
    Exchange exchange = new Exchange(false, false, HttpVersion.HTTP_1_1);
    exchange.answer = refusal;
    underWay.add(exchange);
    flush(context);
  }

  /** Writes the answers that are ready and whose turn it is. */
  private void flush(ChannelHandlerContext context) {
    // Cleared first: an answer that comes from now on tells the loop again.
    flushing.set(false);
    boolean wrote = false;
    for (Exchange next = underWay.peek(); next != null; next = underWay.peek()) {
      FullHttpResponse answer = next.answer;
      if (answer == null) {
        break;
      }
      underWay.remove();
      wrote = true;
      if (next.head) { // The length that it would have, and nothing of it.
        answer = answer.replace(Unpooled.EMPTY_BUFFER);
      }
      if (!next.keepAlive) {
        answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        context.writeAndFlush(answer).addListener(written -> linger(context));
        return;
      }
      if (!next.version.isKeepAliveDefault()) {
        HttpUtil.setKeepAlive(answer.headers(), next.version, true);
      }
      context.write(answer, context.voidPromise());
    }
    if (wrote) {
      context.flush();
      readOrWait(context);
    }
  }

  /**
   * Lets the client take the last answer: closing at once while bytes of it are unread would reset
   * the connection, and the answer be lost (RFC 9112, section 9.6). The client's end of the
   * connection, or the idle timeout, closes it.
   */
  private void linger(ChannelHandlerContext context) {
    ((DuplexChannel) context.channel()).shutdownOutput();
    context.channel().config().setAutoRead(true);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent && underWay.isEmpty()) {
      context.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    closing = true;
    underWay.clear();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    // A client that goes away is no news.
    if (!(cause instanceof IOException || cause instanceof TooLongFrameException)) {
      LOG.log(Level.WARNING, "a connection failed", cause);
    }
    context.close();
  }
}
