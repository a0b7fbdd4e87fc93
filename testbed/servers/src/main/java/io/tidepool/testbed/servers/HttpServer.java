package io.tidepool.testbed.servers;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tidepool.testbed.applications.Application;
import io.tidepool.testbed.servers.architectures.Server;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 on Netty: event loops read and write, an executor does the work. With an executor that
 * runs on the calling thread it is plain Netty without hand-off.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The end of event loops that have nothing to do.
final class HttpServer implements Server {

  private static final int BACKLOG = 16_384;

  private final EventLoopGroup loops;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Channel listening;

  /**
   * Listens on the loopback interface, and serves {@code application} at {@code path}.
   *
   * @throws BindException naming the port if it cannot be had
   */
  HttpServer(HttpSettings settings, String path, Application application, Executor executor)
      throws BindException {
    loops =
        Epoll.isAvailable()
            ? new EpollEventLoopGroup(settings.eventLoops())
            : new NioEventLoopGroup(settings.eventLoops());
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops)
            .channel(
                Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    connections.add(channel);
                    channel
                        .pipeline()
                        .addLast(new RequestDecoder())
                        .addLast(new HttpResponseEncoder())
                        .addLast(new BoundedAggregator(settings.largestBody()))
                        // Behind the decoding: bytes that make no request keep nothing open.
                        .addLast(
                            new IdleStateHandler(
                                0, 0, settings.idleTimeout().toNanos(), TimeUnit.NANOSECONDS))
                        .addLast(new FlowControlHandler())
                        .addLast(new Connection(path, application, executor, settings.pipeline()));
                  }
                });
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port());
    var bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      throw new BindException(
          "cannot listen on port " + settings.port() + ": " + bound.cause().getMessage());
    }
    listening = bound.channel();
  }

  /** Collects a request's body up to a limit; a larger one is answered in its turn. */
  private static final class BoundedAggregator extends HttpObjectAggregator {
    BoundedAggregator(int largest) {
      super(largest, true);
    }

    /** Only the permission to go on may leave at once; a refusal has to wait for its turn. */
    @Override
    protected @Nullable Object newContinueResponse(
        HttpMessage start, int largest, ChannelPipeline pipeline) {
      Object response = super.newContinueResponse(start, largest, pipeline);
      return response instanceof HttpResponse http
              && http.status().equals(HttpResponseStatus.CONTINUE)
          ? response
          : null;
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
      context.fireChannelRead(Connection.Refused.BODY_TOO_LARGE);
    }
  }

  @Override
  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  @Override
  public int connections() {
    return connections.size();
  }

  @Override
  public void stopAccepting() {
    listening.close().awaitUninterruptibly();
  }

  @Override
  public void close() {
    if (loops.isShuttingDown()) {
      return;
    }
    stopAccepting();
    // Behind the flushes that answers of the last tasks have asked for.
    loops.forEach(loop -> loop.submit(() -> {}).awaitUninterruptibly());
    connections.close().awaitUninterruptibly();
    loops
        .shutdownGracefully(0, Duration.ofSeconds(2).toMillis(), TimeUnit.MILLISECONDS)
        .awaitUninterruptibly();
  }
}
