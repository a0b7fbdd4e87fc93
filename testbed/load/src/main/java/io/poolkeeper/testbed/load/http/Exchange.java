package io.poolkeeper.testbed.load.http;

import io.poolkeeper.testbed.load.description.Request;
import org.jspecify.annotations.Nullable;

/**
 * A request and how it ended. Each connection has one, which it uses again and again, so that
 * nothing is allocated for a request. Times are nanoseconds of {@link System#nanoTime}.
 */
public final class Exchange {

  private final int user;

  private @Nullable Request request;
  private long start;
  private long begun;
  private long connected;
  private long firstByte;
  private long end;
  private long sent;
  private long received;
  private int status;
  private @Nullable String failure;

  /**
   * @param user who sends, by number in the whole load
   */
  public Exchange(int user) {
    this.user = user;
  }

  /**
   * A request begins.
   *
   * @param start its intended start
   * @param now when it is really sent, or its connection opened
   */
  public void begin(Request request, long start, long now) {
    this.request = request;
    this.start = start;
    begun = now;
    connected = now;
    firstByte = 0;
    sent = 0;
    received = 0;
    status = 0;
    failure = null;
  }

  void connected(long now) {
    connected = now;
  }

  public void sent(int bytes) {
    sent += bytes;
  }

  public void received(int bytes, long now) {
    if (received == 0) {
      firstByte = now;
    }
    received += bytes;
  }

  public void answered(int status, long now) {
    this.status = status;
    end = now;
  }

  /**
   * It has ended without an answer, or with one that is not right.
   *
   * @param kind what the failure is called in the record
   */
  public void failed(String kind, long now) {
    failure = kind;
    end = now;
  }

  public Request request() {
    if (request == null) {
      throw new IllegalStateException("nothing was sent yet");
    }
    return request;
  }

  public long start() {
    return start;
  }

  public long end() {
    return end;
  }

  /** From its intended start until the last byte of the answer was read. */
  public long responseTime() {
    return end - start;
  }

  /** The status code of the answer, or 0 if there was none. */
  public int status() {
    return status;
  }

  /** Why there was no answer, or not the right one; null if there was. */
  public @Nullable String failure() {
    return failure;
  }

  /** Whether it was answered with a status 2xx and the content that was expected. */
  public boolean successful() {
    return failure == null && status / 100 == 2;
  }

  /**
   * A copy that stays as it is.
   *
   * @param clients who were there
   */
  public Sample sample(int clients) {
    return new Sample(
        user,
        clients,
        request(),
        start,
        responseTime(),
        received == 0 ? 0 : firstByte - start,
        connected - begun,
        received,
        sent,
        status,
        failure);
  }
}
