package io.poolkeeper.grpc;

/** The kit with a limit, on Netty. */
final class AdmissionInterceptorOnNettyTest extends AdmissionInterceptorKit {

  AdmissionInterceptorOnNettyTest() {
    super(Transport.NETTY);
  }
}
