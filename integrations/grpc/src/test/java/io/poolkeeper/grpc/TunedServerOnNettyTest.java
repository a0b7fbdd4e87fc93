package io.poolkeeper.grpc;

/** The kit with a pool, on Netty. */
final class TunedServerOnNettyTest extends TunedServerKit {

  TunedServerOnNettyTest() {
    super(Transport.NETTY);
  }
}
