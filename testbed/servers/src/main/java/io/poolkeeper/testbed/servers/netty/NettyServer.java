package io.poolkeeper.testbed.servers.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
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
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.servers.architectures.LastConnection;
import io.poolkeeper.testbed.servers.architectures.PortBinding;
import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import io.poolkeeper.testbed.servers.architectures.Threads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Event loops that accept, read and write. They process as well with an executor that runs on the
 * calling thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The end of event loops that have nothing to do.
public final class NettyServer implements Server {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  private final ThreadFactory factory = new DefaultThreadFactory("netty", Thread.MAX_PRIORITY);
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final EventLoopGroup loops;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Channel listening;
  private final LastConnection last = new LastConnection();
  private final Shutdown ending = new Shutdown();

  /** Whether a connection is a {@link NettyConnection}; plain Netty's are not. */
  private final boolean conversing;

  /**
   * Starts to listen.
   *
   * @param eventLoops threads that read and write, 1 or more
   * @throws BindException naming the port if it cannot be had
   */
  public NettyServer(ServerSettings settings, Service service, Executor executor, int eventLoops)
      throws BindException {
    this(
        settings.port(),
        eventLoops,
        true,
        (pipeline, ending) ->
            pipeline.addLast(new NettyConnection(settings, service, executor, ending)));
  }

  /**
   * Starts plain Netty, which others are measured against: its own codec, and no more than its
   * users write. It serves what follows the rules, and knows few limits.
   *
   * @param groupThreads threads to which it hands requests over, as Netty itself provides; 0 to
   *     process on the event loops
   * @throws BindException naming the port if it cannot be had
   */
  public static Server plain(
      ServerSettings settings,
      String path,
      Application application,
      int eventLoops,
      int groupThreads)
      throws BindException {
    EventExecutorGroup group =
        groupThreads == 0
            ? null
            : new DefaultEventExecutorGroup(
                groupThreads, new DefaultThreadFactory("netty-group", true));
    return new NettyServer(
        settings.port(),
        eventLoops,
        false,
        (pipeline, ending) -> PlainHandler.addTo(pipeline, group, path, application));
  }

  private NettyServer(
      int port, int eventLoops, boolean conversing, BiConsumer<ChannelPipeline, Shutdown> handlers)
      throws BindException {
    this.conversing = conversing;
    boolean epoll = Epoll.isAvailable();
    loops =
        epoll
            ? new EpollEventLoopGroup(eventLoops, this::thread)
            : new NioEventLoopGroup(eventLoops, this::thread);
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops)
            .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .handler(new Acceptance())
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    handlers.accept(channel.pipeline(), ending);
                  }
                });
    listening = listen(bootstrap, port);
  }

  private Thread thread(Runnable body) {
    Thread thread = factory.newThread(body);
    threads.add(thread);
    return thread;
  }

  /** Takes connections in the order in which they come, before they go to their event loops. */
  private final class Acceptance extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      Channel channel = (Channel) accepted;
      if (last.is(channel.remoteAddress())) {
        channel.unsafe().closeForcibly(); // It has no event loop, which could close it.
        context.executor().execute(context::close); // Not amid its accepting.
        return;
      }
      connections.add(channel);
      context.fireChannelRead(channel);
    }
  }

  private static Channel listen(ServerBootstrap bootstrap, int port) throws BindException {
    Channel[] bound = new Channel[1];
    PortBinding.bind(
        port,
        () -> bootstrap.config().group().shutdownGracefully(0, 0, TimeUnit.SECONDS),
        (address, backlog) -> {
          var binding = bootstrap.option(ChannelOption.SO_BACKLOG, backlog).bind(address);
          if (!binding.awaitUninterruptibly().isSuccess()) {
            throw new IOException(binding.cause().getMessage(), binding.cause());
          }
          bound[0] = binding.channel();
        });
    return bound[0];
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
  public boolean settled() {
    return !listening.isOpen() && connections.stream().allMatch(this::settled);
  }

  private boolean settled(Channel channel) {
    NettyConnection connection = channel.pipeline().get(NettyConnection.class);
    return connection == null ? !conversing : connection.settled();
  }

  @Override
  public Shutdown shutdown() {
    return ending;
  }

  /** The open connections, of plain Netty none. */
  private Stream<NettyConnection> conversations() {
    return connections.stream()
        .map(channel -> channel.pipeline().get(NettyConnection.class))
        .filter(Objects::nonNull);
  }

  private void tell(NettyConnection.Event word) {
    connections.stream()
        .filter(Channel::isRegistered) // Who is not yet looks once he is.
        .forEach(channel -> channel.pipeline().fireUserEventTriggered(word));
  }

  @Override
  public void drain() {
    if (ending.begin()) {
      try {
        last.connect(port());
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "nobody is let in any more", e);
        listening.close();
      }
      tell(NettyConnection.Event.LOOK);
    }
  }

  @Override
  public void close() {
    if (loops.isShuttingDown()) {
      return;
    }
    drain();
    // An application that processes on a loop may hold it up, so nothing is awaited for long.
    long patience = Shutdown.FAREWELL.toMillis();
    listening.close().awaitUninterruptibly(patience);
    // Behind the flushes that answers of the last tasks have asked for.
    List<Future<?>> behind = new ArrayList<>();
    loops.forEach(loop -> behind.add(loop.submit(() -> {})));
    Shutdown.await(Shutdown.FAREWELL, () -> behind.stream().allMatch(Future::isDone));
    // Done once everything before it has left.
    connections.writeAndFlush(Unpooled.EMPTY_BUFFER).awaitUninterruptibly(patience);
    tell(NettyConnection.Event.LINGER);
    Shutdown.await(Shutdown.FAREWELL, connections::isEmpty);
    conversations().forEach(NettyConnection::cut);
    connections.close().awaitUninterruptibly(patience);
    loops.shutdownGracefully(0, patience, TimeUnit.MILLISECONDS);
    Threads.end(threads, Shutdown.FAREWELL.multipliedBy(4));
  }
}
