package io.poolkeeper.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.record.WindowReader.PoolWindow;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecordArchiveTest {

  @Test
  void holdsTheLinesThatTheRecorderWrites(@TempDir Path folder) throws IOException {
    Resizable pool = Resizable.of("web, \"main\"", new Bounds(1, 8), () -> 4, size -> {});
    List<Window> windows = List.of(Samples.busy(0), Samples.idle(1_000));
    Decision decision = Decision.resize(2, "less").because(Map.of("gain", Double.NaN));
    Step step =
        new Step(windows.get(0), "half", decision, Mode.ACTIVE, Action.RESIZED, 4, 2, "less");
    try (RunRecorder recorder = new RunRecorder(folder)) {
      windows.forEach(window -> recorder.onWindow(pool, window));
      recorder.onStep(pool, step);
    }

    Map<String, String> files =
        unzip(
            new RecordArchive(
                "web-1",
                Map.of("version", 1),
                windows.stream().map(window -> new PoolWindow(pool.name(), window)).toList(),
                List.of(PoolDecision.of(pool, step))));

    assertThat(files)
        .containsOnlyKeys("web-1/run.json", "web-1/windows.csv", "web-1/decisions.jsonl")
        .containsEntry("web-1/windows.csv", Files.readString(folder.resolve("windows.csv")))
        .containsEntry("web-1/decisions.jsonl", Files.readString(folder.resolve("decisions.jsonl")))
        .containsEntry("web-1/run.json", "{\n  \"version\" : 1\n}\n");
  }

  private static Map<String, String> unzip(RecordArchive archive) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    archive.write(file);
    Map<String, String> files = new LinkedHashMap<>();
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(file.toByteArray()))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        files.put(entry.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    return files;
  }
}
