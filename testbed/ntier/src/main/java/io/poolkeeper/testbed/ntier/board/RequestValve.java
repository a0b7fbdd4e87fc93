package io.poolkeeper.testbed.ntier.board;

import io.poolkeeper.testbed.ntier.measure.RequestMeter;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/** Measures requests, up to the last byte of the answer that Tomcat hands to the socket. */
final class RequestValve extends ValveBase {

  private final RequestMeter meter;

  RequestValve(RequestMeter meter) {
    super(true);
    this.meter = meter;
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    try {
      getNext().invoke(request, response);
      response.finishResponse();
    } finally {
      meter.answered(request.getCoyoteRequest().getStartTimeNanos(), response.getStatus() >= 400);
    }
  }
}
