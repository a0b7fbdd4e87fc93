package io.poolkeeper.testbed.applications.downstream;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.poolkeeper.testbed.commands.HeldPort;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * HTTP server on the loopback interface whose paths have a {@link Profile} each. One thread serves
 * all connections, with timers in place of work, so that hundreds of requests under way cost little
 * CPU time. Profiles and faults can change while it runs.
 */
public final class DownstreamServer implements AutoCloseable {

  /** Profiles unless others are given: {@code call20} and {@code call} are alike. */
  public static final Map<String, Profile> DEFAULTS = defaults();

  private static final int BACKLOG = 1024;

  private final NioEventLoopGroup group = new NioEventLoopGroup(1);
  private final EventLoop loop = group.next();
  private final ChannelGroup connections = new DefaultChannelGroup(loop);
  private final Map<String, ServiceCentre> centres = new LinkedHashMap<>();

  /** Requests that were taken while the server hung. */
  private final List<Runnable> held = new ArrayList<>();

  /** The port, also while connections are refused. */
  private final HeldPort port;

  /** Of the event loop alone. */
  private Fault fault = Fault.NONE;

  /** Whoever listens at the port; open unless connections are refused. Guarded by this. */
  private Channel listener;

  /**
   * Starts it.
   *
   * @param port 0 for a free one
   * @param profiles by path, without the slash
   * @throws BindException naming the port if it cannot be had
   */
  public DownstreamServer(int port, Map<String, Profile> profiles) throws BindException {
    profiles.forEach((path, profile) -> centres.put(path, new ServiceCentre(profile, this::after)));
    try {
      this.port = new HeldPort(port);
    } catch (IOException e) {
      endLoop();
      throw cannotListen(port, e);
    }
    try {
      listener = listen();
    } catch (BindException e) {
      close();
      throw e;
    }
  }

  private static BindException cannotListen(int port, Throwable cause) {
    String message = "cannot listen on port " + port + ": " + cause.getMessage();
    return (BindException) new BindException(message).initCause(cause);
  }

  private static Map<String, Profile> defaults() {
    Map<String, Profile> defaults = new LinkedHashMap<>();
    defaults.put("call", new Profile(20_000_000, 16, 0.1));
    defaults.put("call20", new Profile(20_000_000, 16, 0.1));
    defaults.put("call400", new Profile(400_000_000, 400, 0.1));
    return defaults;
  }

  /** Port on the loopback interface. */
  public int port() {
    return port.number();
  }

  /**
   * Returns the settings: the fault, and of each path its profile and the requests present.
   *
   * @throws IllegalStateException if the server has ended
   */
  public Map<String, Object> settings() {
    return onLoop(this::document);
  }

  /**
   * Changes settings while the server runs.
   *
   * @param path whose profile changes; null for all
   * @param changes {@code latency}, {@code capacity}, {@code degradation} and {@code fault} by name
   * @return the settings afterwards
   * @throws IllegalArgumentException naming the setting and the value; nothing has changed then
   */
  public synchronized Map<String, Object> change(
      @Nullable String path, Map<String, String> changes) {
    Map<String, String> rest = new LinkedHashMap<>(changes);
    String word = rest.remove("fault");
    Fault next = word == null ? onLoop(this::fault) : Fault.of(word);
    Map<ServiceCentre, Profile> profiles =
        onLoop(
            () -> {
              Map<ServiceCentre, Profile> all = new LinkedHashMap<>();
              for (ServiceCentre centre : chosen(path)) {
                all.put(centre, centre.profile().with(rest));
              }
              return all;
            });
    if (next == Fault.REFUSE) {
      onLoop(() -> become(next));
      listener.close().awaitUninterruptibly();
      connections.close().awaitUninterruptibly();
      awaitNextSelection();
    } else {
      if (!listener.isOpen()) {
        listener = listenAgain();
      }
      onLoop(() -> become(next));
    }
    return onLoop(
        () -> {
          profiles.forEach(ServiceCentre::change);
          return document();
        });
  }

  private List<ServiceCentre> chosen(@Nullable String path) {
    if (path == null) {
      return List.copyOf(centres.values());
    }
    ServiceCentre centre = centres.get(path);
    if (centre == null) {
      throw new IllegalArgumentException(
          "unknown path '" + path + "'; there are " + String.join(", ", centres.keySet()));
    }
    return List.of(centre);
  }

  private Map<String, Object> document() {
    Map<String, Object> paths = new LinkedHashMap<>();
    centres.forEach(
        (path, centre) -> {
          Map<String, Object> document = centre.profile().document();
          document.put("present", centre.present());
          paths.put(path, document);
        });
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("fault", fault.toString());
    document.put("paths", paths);
    return document;
  }

  private Fault become(Fault next) {
    fault = next;
    if (next != Fault.HANG) {
      List<Runnable> released = List.copyOf(held);
      held.clear();
      released.forEach(Runnable::run);
    }
    return next;
  }

  /**
   * Waits until the loop has selected again. Until then the system still listens at the port of a
   * channel that is closed, so that connections are made, and nobody can listen there. What is
   * scheduled runs after the next selection.
   */
  private void awaitNextSelection() {
    group.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).awaitUninterruptibly();
  }

  private Channel listenAgain() {
    try {
      return listen();
    } catch (BindException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private Channel listen() throws BindException {
    ChannelFuture listening = bind().awaitUninterruptibly();
    if (!listening.isSuccess()) {
      throw cannotListen(port.number(), listening.cause());
    }
    return listening.channel();
  }

  private ChannelFuture bind() {
    return new ServerBootstrap()
        .group(group)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                if (fault == Fault.REFUSE) { // It was in the backlog when the port was closed.
                  var unused = channel.close();
                  return;
                }
                connections.add(channel);
                channel
                    .pipeline()
                    .addLast(new HttpServerCodec(), new DownstreamHandler(DownstreamServer.this));
              }
            })
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()));
  }

  /** The fault of this moment; for the event loop. */
  Fault fault() {
    return fault;
  }

  /** The paths that are served; for the event loop. */
  Map<String, ServiceCentre> centres() {
    return centres;
  }

  /** Keeps a request until the server no longer hangs; for the event loop. */
  void hold(Runnable request) {
    held.add(request);
  }

  private void after(long nanos, Runnable action) {
    var unused = loop.schedule(action, nanos, TimeUnit.NANOSECONDS);
  }

  private <T> T onLoop(Callable<T> action) {
    try {
      return loop.submit(action).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IllegalArgumentException wrong) {
        throw new IllegalArgumentException(wrong.getMessage(), e);
      }
      throw new IllegalStateException(e);
    }
  }

  private void endLoop() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  /** Closes all connections and ends its thread; requests under way get no answer. */
  @Override
  public void close() {
    endLoop();
    port.close();
  }
}
