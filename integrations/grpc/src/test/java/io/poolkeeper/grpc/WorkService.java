package io.poolkeeper.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A service whose calls run what tests give it. */
final class WorkService {

  private final Map<String, Runnable> works = new ConcurrentHashMap<>();
  private final AtomicInteger ids = new AtomicInteger();
  private final MethodDescriptor<String, String> run =
      method("work/Run", MethodDescriptor.MethodType.UNARY);
  private final MethodDescriptor<String, String> watch =
      method("work/Watch", MethodDescriptor.MethodType.SERVER_STREAMING);

  private static MethodDescriptor<String, String> method(
      String name, MethodDescriptor.MethodType type) {
    return MethodDescriptor.<String, String>newBuilder()
        .setFullMethodName(name)
        .setType(type)
        .setRequestMarshaller(new Text())
        .setResponseMarshaller(new Text())
        .build();
  }

  /** Text as messages. */
  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String text) {
      return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream bytes) {
      try {
        return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  ServerServiceDefinition definition() {
    return ServerServiceDefinition.builder("work")
        .addMethod(run, ServerCalls.asyncUnaryCall(this::answer))
        .addMethod(watch, ServerCalls.asyncServerStreamingCall((id, answers) -> doWork(id)))
        .build();
  }

  private void answer(String id, StreamObserver<String> answers) {
    doWork(id);
    answers.onNext(id);
    answers.onCompleted();
  }

  private void doWork(String id) {
    Objects.requireNonNull(works.remove(id)).run();
  }

  /** Runs work as a call, and waits for its end. */
  void call(Channel channel, Runnable work) {
    call(channel, CallOptions.DEFAULT, work);
  }

  void call(Channel channel, CallOptions options, Runnable work) {
    ClientCalls.blockingUnaryCall(channel, run, options, add(work));
  }

  /** Runs work as the beginning of a stream that stays open. */
  void watch(Channel channel, Runnable work) {
    ClientCalls.asyncServerStreamingCall(
        channel.newCall(watch, CallOptions.DEFAULT), add(work), new NoObserver());
  }

  private String add(Runnable work) {
    String id = Integer.toString(ids.incrementAndGet());
    works.put(id, work);
    return id;
  }

  /** Looks at nothing. */
  private static final class NoObserver implements StreamObserver<String> {
    @Override
    public void onNext(String answer) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
