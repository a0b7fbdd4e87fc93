package io.poolkeeper.testbed.servers.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import io.poolkeeper.testbed.servers.http.Conversation;
import io.poolkeeper.testbed.servers.http.Exchange;
import io.poolkeeper.testbed.servers.http.Lifecycle;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One connection of an event loop, which alone touches all but {@link #signalled}. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failed writes in exceptionCaught.
final class NettyConnection extends ChannelInboundHandlerAdapter {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  /** Room for a few short answers. */
  private static final int WRITE_BYTES = 512;

  /** Events that all connections get. */
  enum Event {
    /** The server ends: look whether more has come. */
    LOOK,
    /** Nothing more is to be sent. */
    LINGER
  }

  private final Shutdown ending;
  private final Service service;
  private final Executor executor;
  private final Conversation conversation;
  private final long idleTimeout;

  /** Whether the loop was woken for answers that it has not taken yet. */
  private final AtomicBoolean signalled = new AtomicBoolean();

  /** Called when an answer is ready, by the thread that made it. */
  private final Runnable answered = this::answered;

  /** Made now, since there may be no memory for it when an answer is ready. */
  private final Runnable writing = this::writeAnswers;

  private volatile @Nullable ChannelHandlerContext context;
  private @Nullable ScheduledFuture<?> watch;

  /** Bytes that were read and not wanted, since too many requests are under way. */
  private @Nullable ByteBuf kept;

  /** Whether the last answer has left the channel, and nothing more can be sent. */
  private volatile boolean ended;

  /** A look at the socket, which takes a while. */
  private enum Look {
    NONE,
    UNDER_WAY,

    /** Under way, and bytes have come since it was begun, or were not asked for. */
    IN_VAIN
  }

  private Look look = Look.NONE;

  private long active = System.nanoTime();

  NettyConnection(ServerSettings settings, Service service, Executor executor, Shutdown ending) {
    this.ending = ending;
    this.service = service;
    this.executor = executor;
    conversation = new Conversation(settings.limits(), ending::begun, ending::refusing);
    idleTimeout = settings.idleTimeout().toNanos();
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    this.context = context;
    context.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    watch(context, idleTimeout);
    look(context);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    lookInVain();
    if (kept == null) {
      kept = bytes;
    } else { // It was read before the loop heard that nothing more is wanted.
      kept = Unpooled.wrappedBuffer(kept, bytes);
    }
    proceed(context);
  }

  /** Takes what there is room for, writes what is ready, and says what is next. */
  private void proceed(ChannelHandlerContext context) {
    do {
      take(context);
      write(context);
    } while (kept != null && takesBytes(context));
    look(context);
    if (conversation.action() == Lifecycle.Action.END_OUTPUT) {
      conversation.outputEnded();
      // Done once everything before it has left.
      context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> endOutput(context));
    }
    if (conversation.action() == Lifecycle.Action.CLOSE) {
      context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> context.close());
    } else {
      boolean reads =
          conversation.action() == Lifecycle.Action.READ && kept == null && takesBytes(context);
      if (context.channel().config().isAutoRead() != reads) {
        context.channel().config().setAutoRead(reads);
        lookInVain(); // What has come meanwhile was not asked for.
      }
    }
  }

  private void lookInVain() {
    if (look == Look.UNDER_WAY) {
      look = Look.IN_VAIN;
    }
  }

  /**
   * Looks while the server ends whether more has come. The loop says what has, but not that nothing
   * has: that is known once it has asked all its sockets after this one was. It has when a task
   * that was put off by the one that was put off now runs.
   */
  private void look(ChannelHandlerContext context) {
    if (look == Look.NONE && conversation.looks()) {
      look = context.channel().config().isAutoRead() ? Look.UNDER_WAY : Look.IN_VAIN;
      later(context, () -> later(context, () -> looked(context)));
    }
  }

  private static void later(ChannelHandlerContext context, Runnable task) {
    context.executor().schedule(task, 1, TimeUnit.MILLISECONDS);
  }

  private void looked(ChannelHandlerContext context) {
    if (look == Look.UNDER_WAY) {
      conversation.nothingCame();
    }
    look = Look.NONE;
    if (context.channel().isActive()) {
      proceed(context);
    }
  }

  boolean settled() {
    return !unsent() && conversation.settled();
  }

  /** Notes what is lost as the server closes the connection. */
  void cut() {
    ending.cut(conversation, unsent());
  }

  /** Whether the channel holds answers that the client is behind with taking. */
  private boolean unsent() {
    ChannelHandlerContext mine = context;
    return mine != null && !ended && !mine.channel().isWritable();
  }

  /** Whether bytes would be taken; requests are not from a client that is behind with answers. */
  private boolean takesBytes(ChannelHandlerContext context) {
    return conversation.takesBytes() && (conversation.lingers() || context.channel().isWritable());
  }

  /** Hands over the requests that the bytes complete, as many as there is room for. */
  private void take(ChannelHandlerContext context) {
    ByteBuf bytes = kept;
    if (bytes == null || !takesBytes(context)) {
      return;
    }
    ByteBuffer in =
        bytes.nioBufferCount() == 1
            ? bytes.internalNioBuffer(bytes.readerIndex(), bytes.readableBytes())
            : bytes.nioBuffer();
    int before = in.remaining();
    for (Exchange next = conversation.read(in); next != null; next = conversation.read(in)) {
      active = System.nanoTime();
      service.handOver(executor, next, answered);
    }
    bytes.skipBytes(before - in.remaining());
    if (!bytes.isReadable()) {
      bytes.release();
      kept = null;
    }
  }

  /** An answer is ready; on the loop it is written behind the requests that were read with it. */
  private void answered() {
    ChannelHandlerContext mine = context;
    if (mine != null && !mine.executor().inEventLoop() && signalled.compareAndSet(false, true)) {
      try {
        mine.executor().execute(writing);
      } catch (OutOfMemoryError | LinkageError e) {
        signalled.set(false);
        throw e;
      }
    }
  }

  private void writeAnswers() {
    signalled.set(false); // Cleared first: an answer that comes from now on signals again.
    ChannelHandlerContext mine = context;
    if (mine != null && mine.channel().isActive()) {
      try {
        proceed(mine);
      } catch (Error | RuntimeException e) { // The loop would only log it, and the client wait.
        exceptionCaught(mine, e);
      }
    }
  }

  /** Writes the answers whose turn it is, all at once. */
  private void write(ChannelHandlerContext context) {
    ByteBuf out = null;
    for (ByteBuffer next = conversation.next(); next != null; next = conversation.next()) {
      if (out == null) {
        out = context.alloc().ioBuffer(Math.max(WRITE_BYTES, next.remaining()));
      }
      out.writeBytes(next);
    }
    if (out != null) {
      active = System.nanoTime();
      context.writeAndFlush(out, context.voidPromise());
      conversation.left(); // The channel says from now on whether they wait to be sent.
    }
  }

  /** The client's end of the connection, or the idle timeout, closes it then. */
  private void endOutput(ChannelHandlerContext context) {
    ended = true;
    ((DuplexChannel) context.channel()).shutdownOutput();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (context.channel().isWritable()) {
      active = System.nanoTime();
      proceed(context);
    }
  }

  /** Closes the connection once nothing has happened for the timeout, and looks again till then. */
  private void watch(ChannelHandlerContext context, long nanos) {
    watch =
        context
            .executor()
            .schedule(
                () -> {
                  long left = idleTimeout - (System.nanoTime() - active);
                  if (left > 0) {
                    watch(context, left);
                  } else if (conversation.busy() && context.channel().isWritable()) {
                    watch(context, idleTimeout); // The client waits for the application.
                  } else {
                    expire(context);
                  }
                },
                nanos,
                TimeUnit.NANOSECONDS);
  }

  private void expire(ChannelHandlerContext context) {
    if (unsent()) {
      ending.stuck();
    }
    context.close();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == Event.LOOK) {
      look(context);
    } else if (event == Event.LINGER && (unsent() || conversation.busy())) {
      cut();
      context.close();
    } else if (event == Event.LINGER) {
      conversation.finish();
      conversation.outputEnded();
      endOutput(context);
      proceed(context);
    }
    if (event instanceof ChannelInputShutdownEvent) {
      conversation.inputEnded();
      proceed(context);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    ByteBuf bytes = kept;
    kept = null;
    if (bytes != null) {
      bytes.release();
    }
    if (watch != null) {
      watch.cancel(false);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    closeOnceThereIsMemory(context); // Before it is logged, which takes memory as well.
    if (!(cause instanceof IOException)) { // A client that goes away is no news.
      LOG.log(Level.WARNING, "a connection failed", cause);
    }
  }

  private static void closeOnceThereIsMemory(ChannelHandlerContext context) {
    for (int i = 0; i < Service.TRIES; i++) {
      try {
        context.close();
        if (context.channel().isOpen()) { // Netty keeps the failure of a close to itself.
          context.channel().unsafe().closeForcibly();
        }
        return;
      } catch (OutOfMemoryError | LinkageError e) {
        LockSupport.parkNanos(Service.BREATH_NANOS);
      }
    }
  }
}
