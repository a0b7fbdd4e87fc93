package io.poolkeeper.grpc;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.stub.MetadataUtils;
import io.poolkeeper.testkit.Conditions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Knows which calls the server has been told the end of. */
final class CallEnds implements ServerInterceptor {

  private static final Metadata.Key<String> ID =
      Metadata.Key.of("call", Metadata.ASCII_STRING_MARSHALLER);

  private final Set<String> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger ids = new AtomicInteger();

  /** Makes a call that succeeds, and waits until the server was told of its end. */
  void await(Channel channel, Consumer<Channel> call) {
    String id = Integer.toString(ids.incrementAndGet());
    Metadata headers = new Metadata();
    headers.put(ID, id);
    open.add(id);
    call.accept(
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers)));
    Conditions.await("call " + id + " has ended", () -> !open.contains(id));
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String id = headers.get(ID);
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      @Override
      public void onComplete() {
        super.onComplete();
        end();
      }

      @Override
      public void onCancel() {
        super.onCancel();
        end();
      }

      private void end() {
        if (id != null) {
          open.remove(id);
        }
      }
    };
  }
}
