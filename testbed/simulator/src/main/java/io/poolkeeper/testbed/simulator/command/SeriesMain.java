package io.poolkeeper.testbed.simulator.command;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One command after another in the same process: whoever needs many short simulations, each after
 * the result of the one before, spends most of their time on starts of a virtual machine otherwise.
 *
 * <p>Each line of standard input is a JSON array with the arguments of {@link SimulateMain}. The
 * answer is a line of JSON with its exit code and what it printed: {@code {"code": 0, "out": ...,
 * "err": ...}}. Ends when standard input closes.
 */
public final class SeriesMain {

  private static final ObjectMapper JSON = JsonMapper.builder().build();
  private static final TypeReference<List<String>> ARGUMENTS = new TypeReference<>() {};

  private SeriesMain() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws IOException {
    serve(System.in, System.out);
  }

  /** Answers every line of {@code in}. */
  static void serve(InputStream in, PrintStream out) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      out.write(JSON.writeValueAsBytes(execute(JSON.readValue(line, ARGUMENTS))));
      out.write('\n');
      out.flush();
    }
  }

  private static Map<String, Object> execute(List<String> arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code = SimulateMain.execute(printer(out), printer(err), arguments.toArray(String[]::new));
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("code", code);
    answer.put("out", out.toString(StandardCharsets.UTF_8));
    answer.put("err", err.toString(StandardCharsets.UTF_8));
    return answer;
  }

  private static PrintStream printer(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }
}
