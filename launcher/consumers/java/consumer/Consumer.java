package consumer;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.record.RunRecorder;
import java.nio.file.Path;
import java.util.stream.IntStream;

/** Runs a hundred tasks on a pool that is recorded. */
public final class Consumer {
  /** Takes the folder of the record. */
  public static void main(String[] arguments) throws Exception {
    try (var recorder = new RunRecorder(Path.of(arguments[0]));
        var pool = AdaptiveExecutor.builder("consumer").bounds(1, 4).listener(recorder).build()) {
      var results = IntStream.range(0, 100).mapToObj(i -> pool.submit(() -> i * i)).toList();
      var sum = 0;
      for (var result : results) sum += result.get();
      System.out.println("sum " + sum + ", " + pool.getClass().getModule().getName());
    }
  }
}
