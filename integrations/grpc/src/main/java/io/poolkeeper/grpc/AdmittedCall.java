package io.poolkeeper.grpc;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.poolkeeper.AdaptiveLimiter.Permit;

/** Gives the permit of a call back with its outcome. */
final class AdmittedCall<Q, A> extends SimpleForwardingServerCall<Q, A> {

  private final Permit permit;
  private volatile boolean failed;

  private AdmittedCall(ServerCall<Q, A> call, Permit permit) {
    super(call);
    this.permit = permit;
  }

  /** Begins a call that has a permit. */
  static <Q, A> ServerCall.Listener<Q> start(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next, Permit permit) {
    AdmittedCall<Q, A> admitted = new AdmittedCall<>(call, permit);
    boolean started = false;
    try {
      ServerCall.Listener<Q> listener = next.startCall(admitted, headers);
      started = true;
      return admitted.new Listener(listener);
    } finally {
      if (!started) { // gRPC closes the call, and tells nobody of its end.
        permit.dropped();
      }
    }
  }

  @Override
  public void close(Status status, Metadata trailers) {
    failed = isFailure(status.getCode());
    super.close(status, trailers);
  }

  private static boolean isFailure(Status.Code code) {
    return switch (code) {
      case UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE, DATA_LOSS -> true;
      default -> false;
    };
  }

  /** Hears of the end, which comes once, completed or cancelled. */
  private final class Listener extends SimpleForwardingServerCallListener<Q> {

    Listener(ServerCall.Listener<Q> listener) {
      super(listener);
    }

    @Override
    public void onHalfClose() {
      boolean handled = false;
      try {
        super.onHalfClose();
        handled = true;
      } finally {
        if (!handled) { // The end will be that of a call whose handler is gone.
          permit.dropped();
        }
      }
    }

    @Override
    public void onComplete() {
      try {
        super.onComplete();
      } finally {
        end();
      }
    }

    @Override
    public void onCancel() {
      try {
        super.onCancel();
      } finally {
        Deadline deadline = Context.current().getDeadline();
        if (failed || (deadline != null && deadline.isExpired())) {
          permit.dropped();
        } else {
          permit.ignore();
        }
      }
    }

    private void end() {
      if (failed) {
        permit.dropped();
      } else {
        permit.success();
      }
    }
  }
}
