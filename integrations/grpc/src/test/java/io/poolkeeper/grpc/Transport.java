package io.poolkeeper.grpc;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.util.concurrent.TimeUnit;

/** Ways from a client to a server. */
enum Transport {
  /** The shaded Netty, on a port of the loopback interface. */
  NETTY {
    @Override
    ServerBuilder<?> server() {
      return Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create());
    }

    @Override
    ManagedChannel channel(Server server) {
      return Grpc.newChannelBuilderForAddress(
              "localhost", server.getPort(), InsecureChannelCredentials.create())
          .build();
    }
  },

  /** Calls of methods. */
  IN_PROCESS {
    @Override
    ServerBuilder<?> server() {
      return InProcessServerBuilder.forName(InProcessServerBuilder.generateName());
    }

    @Override
    ManagedChannel channel(Server server) {
      return InProcessChannelBuilder.forAddress(server.getListenSockets().get(0)).build();
    }
  };

  abstract ServerBuilder<?> server();

  abstract ManagedChannel channel(Server server);

  static void end(ManagedChannel channel) {
    try {
      if (!channel.shutdownNow().awaitTermination(5, TimeUnit.MINUTES)) {
        throw new IllegalStateException("the channel has not ended");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static void end(Server server) {
    try {
      if (!server.shutdownNow().awaitTermination(5, TimeUnit.MINUTES)) {
        throw new IllegalStateException("the server has not ended");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
