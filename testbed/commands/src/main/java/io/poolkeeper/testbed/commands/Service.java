package io.poolkeeper.testbed.commands;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** The contract between a process that serves and the one that started it. */
public final class Service {

  private static final ObjectMapper JSON = new ObjectMapper();

  private Service() {}

  /**
   * Prints that the process is ready, as a line of JSON.
   *
   * @param facts what the other process needs, such as ports
   */
  public static void announce(PrintStream out, Map<String, ?> facts)
      throws JsonProcessingException {
    Map<String, Object> ready = new LinkedHashMap<>();
    ready.put("event", "ready");
    ready.putAll(facts);
    ready.put("pid", ProcessHandle.current().pid());
    out.println(JSON.writeValueAsString(ready));
    out.flush();
  }

  /** Returns when standard input ends; what is written there means nothing. */
  public static void awaitEnd(InputStream in) throws IOException {
    in.transferTo(OutputStream.nullOutputStream());
  }
}
