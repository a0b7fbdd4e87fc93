package io.poolkeeper.testbed.servers.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import org.junit.jupiter.api.Test;

final class NettyConnectionTest {

  /** Stands for what a close does within Netty, which takes memory. */
  private static final class WithoutMemory extends ChannelOutboundHandlerAdapter {
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
      throw new OutOfMemoryError("thrown by the test");
    }
  }

  /** Netty hands the failure of a close to its promise alone; the client would wait for ever. */
  @Test
  void aConnectionThatFailsIsClosedThoughItsCloseFindsNoMemory() {
    Service service = new Service("/app", () -> "fine");
    NettyConnection connection =
        new NettyConnection(ServerSettings.DEFAULTS, service, Runnable::run, new Shutdown());
    EmbeddedChannel channel = new EmbeddedChannel(new WithoutMemory(), connection);
    assertThat(channel.isOpen()).isTrue();
    channel.pipeline().fireExceptionCaught(new OutOfMemoryError("thrown by the test"));
    assertThat(channel.isOpen()).isFalse();
  }
}
