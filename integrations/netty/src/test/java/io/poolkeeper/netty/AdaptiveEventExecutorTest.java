package io.poolkeeper.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.EventExecutorGroup;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.HostKit;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The kit on a Netty server whose handler blocks. */
final class AdaptiveEventExecutorTest extends HostKit {

  @Override
  protected Host start(int size) throws Exception {
    return new NettyHost(size);
  }

  private static AdaptiveExecutor newPool(int size) {
    return AdaptiveExecutor.builder("handlers")
        .bounds(BOUNDS.minimum(), BOUNDS.maximum())
        .initialSize(size)
        .mode(Mode.FROZEN)
        .window(WINDOW)
        .hangAfter(HANG)
        .build();
  }

  /** A server whose handler runs what tests give it. */
  private static final class NettyHost implements Host {
    final int size;
    final Map<String, Runnable> works = new ConcurrentHashMap<>();
    final AtomicInteger ids = new AtomicInteger();
    HttpClient client;
    AdaptiveExecutor pool;
    EventExecutorGroup blocking;
    EventLoopGroup loops;
    Channel server;

    NettyHost(int size) throws InterruptedException {
      this.size = size;
      open();
    }

    private void open() throws InterruptedException {
      client = HttpClient.newHttpClient();
      pool = newPool(size);
      blocking = AdaptiveEventExecutor.group(pool);
      loops = new NioEventLoopGroup(1);
      server =
          new ServerBootstrap()
              .group(loops)
              .channel(NioServerSocketChannel.class)
              .childHandler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel
                          .pipeline()
                          .addLast(new HttpServerCodec(), new HttpObjectAggregator(1024))
                          .addLast(blocking, new WorkHandler());
                    }
                  })
              .bind("localhost", 0)
              .sync()
              .channel();
    }

    /** Runs the work on a thread of the pool. */
    private final class WorkHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
      @Override
      protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        Objects.requireNonNull(works.remove(request.uri().substring(1))).run();
        FullHttpResponse response =
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.EMPTY_BUFFER);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
        var unused = context.writeAndFlush(response);
      }
    }

    @Override
    public Resizable pool() {
      return pool;
    }

    @Override
    public ControlLoop loop() {
      return pool.control();
    }

    @Override
    public void call(Runnable work) throws Exception {
      String id = Integer.toString(ids.incrementAndGet());
      works.put(id, work);
      int port = ((InetSocketAddress) server.localAddress()).getPort();
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/" + id))
                  .version(HttpClient.Version.HTTP_1_1)
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
    }

    @Override
    public int capacity() {
      return pool.getPoolSize();
    }

    @Override
    public void restart() throws Exception {
      close();
      open();
    }

    @Override
    public void close() {
      server.close().syncUninterruptibly();
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
      blocking.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @Test
  void testsRunOnTheVersionThatTheBuildNames() {
    String jar = Channel.class.getProtectionDomain().getCodeSource().toString();
    assertThat(jar).contains("netty-transport-" + System.getProperty("netty.version"));
  }

  @Test
  void eventsOfAChannelKeepTheirOrderOnAnyThread() {
    AdaptiveExecutor pool = newPool(8);
    EventExecutorGroup blocking = AdaptiveEventExecutor.group(pool);
    List<Object> read = new CopyOnWriteArrayList<>();
    EmbeddedChannel channel = new EmbeddedChannel();
    channel
        .pipeline()
        .addLast(
            blocking,
            new SimpleChannelInboundHandler<Integer>() {
              @Override
              protected void channelRead0(ChannelHandlerContext context, Integer number) {
                read.add(number);
              }
            });
    IntStream.range(0, 2000).forEach(channel::writeInbound);
    Conditions.await("all are read", () -> read.size() == 2000);
    assertThat(read).isEqualTo(IntStream.range(0, 2000).boxed().toList());
    blocking.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void shutdownOfTheGroupIsThatOfThePool() {
    AdaptiveExecutor pool = newPool(2);
    EventExecutorGroup blocking = AdaptiveEventExecutor.group(pool);
    assertThat(blocking.isShuttingDown()).isFalse();
    var end = blocking.shutdownGracefully(0, 10, TimeUnit.MILLISECONDS);
    assertThat(pool.isShutdown()).isTrue();
    assertThat(blocking.isShuttingDown()).isTrue();
    end.syncUninterruptibly();
    assertThat(blocking.isTerminated()).isTrue();
  }

  @Test
  void theGroupEndsWithThePool() {
    AdaptiveExecutor pool = newPool(2);
    EventExecutorGroup blocking = AdaptiveEventExecutor.group(pool);
    pool.close();
    assertThat(blocking.terminationFuture().awaitUninterruptibly(1, TimeUnit.MINUTES)).isTrue();
    assertThat(AdaptiveEventExecutor.group(pool).terminationFuture().isDone()).isTrue();
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what is tried.
  void nullIsRefusedByName() {
    assertThatThrownBy(() -> AdaptiveEventExecutor.group(null)).hasMessage("pool must not be null");
  }
}
