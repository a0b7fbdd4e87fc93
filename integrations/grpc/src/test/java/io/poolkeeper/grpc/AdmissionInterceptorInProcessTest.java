package io.poolkeeper.grpc;

/** The kit with a limit, in this process. */
final class AdmissionInterceptorInProcessTest extends AdmissionInterceptorKit {

  AdmissionInterceptorInProcessTest() {
    super(Transport.IN_PROCESS);
  }
}
