package io.poolkeeper.testbed.simulator.command;

import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.simulator.Result;
import io.poolkeeper.testbed.simulator.file.ModelFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** The example models of the project, and small ones of the tests. */
final class Examples {

  static final Path FOLDER = Path.of("../../experiments/simulate");

  private Examples() {}

  static ModelFile read(Path folder, String name, String text) throws BadInput, IOException {
    return ModelFile.read(Files.writeString(folder.resolve(name + ".yaml"), text));
  }

  /** Plays all runs of a model. */
  static Summary play(ModelFile file) {
    List<Result> results =
        IntStream.range(0, file.run().runs())
            .parallel()
            .mapToObj(run -> new Player(file, run, at -> true).play().orElseThrow())
            .toList();
    return Summary.of(file.run().method(), results);
  }

  /** Two workers, 60 virtual seconds, three replications. */
  static final String SMALL =
      """
      question: How long?
      clients: {kind: closed, users: 10, think_time: exponential 100ms}
      tiers:
        server:
          workers: {size: 2, queue: 5}
          work: [{wait: exponential 25ms}]
      run: {for: 60s, warm_up: 10s, replications: 3}
      """;
}
