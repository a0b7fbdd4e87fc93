package io.poolkeeper.grpc;

/** The kit with a pool, in this process. */
final class TunedServerInProcessTest extends TunedServerKit {

  TunedServerInProcessTest() {
    super(Transport.IN_PROCESS);
  }
}
