package io.tidepool.testbed.servers;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
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
    private volatile @Nullable FullHttpResponse answer;

    Exchange(boolean keepAlive) {
      this.keepAlive = keepAlive;
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
    if (request.decoderResult().isFailure()) {
      refuseAndClose(context, malformed(request.decoderResult().cause()));
      return;
    }
    Exchange exchange = begin(context, HttpUtil.isKeepAlive(request));
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

  private Exchange begin(ChannelHandlerContext context, boolean keepAlive) {
    Exchange exchange = new Exchange(keepAlive);
    underWay.add(exchange);
    if (underWay.size() >= pipeline) {
      context.channel().config().setAutoRead(false);
    }
    return exchange;
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
      exchange.answer =
          Answers.refusal(
              HttpResponseStatus.INTERNAL_SERVER_ERROR,
              "the application failed: " + e.getMessage());
    } catch (Throwable e) { // The client gets its answer; the pool sees the error as it was.
      exchange.answer =
          Answers.refusal(HttpResponseStatus.INTERNAL_SERVER_ERROR, "the application failed: " + e);
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
    Exchange exchange = new Exchange(false);
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
      if (!next.keepAlive) {
        closing = true;
        underWay.clear();
        answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
        return;
      }
      context.write(answer, context.voidPromise());
    }
    if (wrote) {
      context.flush();
      if (!closing && underWay.size() <= pipeline / 2) {
        context.channel().config().setAutoRead(true);
      }
    }
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
