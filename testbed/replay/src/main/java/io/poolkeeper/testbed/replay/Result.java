package io.poolkeeper.testbed.replay;

import io.poolkeeper.Bounds;
import io.poolkeeper.record.PoolDecision;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The answers of a controller about a pool, as a person reads them.
 *
 * @param recording the run
 * @param pool the pool
 * @param controller its name
 * @param settings its settings, all of them
 * @param own whether it is the controller of the recording, with its settings
 * @param bounds the sizes that the pool could have
 * @param answers one a window
 */
record Result(
    Recording recording,
    Recording.Pool pool,
    String controller,
    Map<String, String> settings,
    boolean own,
    Bounds bounds,
    List<Answer> answers) {

  static final String CSV_HEADER =
      "pool,time_s,size,recorded_action,recorded_asked,action,asked,same,reason,recorded_reason";

  private static final int REASON = 5;

  /** Whether this is the controller of the recording, and decides otherwise without a reason. */
  boolean broken() {
    return own && !recording.partial() && same() < answers.size();
  }

  private long same() {
    return answers.stream().filter(Answer::same).count();
  }

  /** Sums up the result in a few lines. */
  List<String> summary() {
    String name =
        settings.isEmpty()
            ? controller
            : settings.entrySet().stream()
                .map(setting -> setting.getKey() + " " + setting.getValue())
                .collect(Collectors.joining(", ", controller + " (", ")"));
    if (answers.isEmpty()) {
      return List.of("pool %s: no window to ask %s about".formatted(pool.name(), name));
    }
    if (!pool.wasControlled()) {
      return List.of(
          "pool %s: %s, asked about the %d windows of a pool that nobody controlled; mean size wanted %s"
              .formatted(
                  pool.name(), name, answers.size(), mean(answers.stream().map(Answer::decision))));
    }
    List<String> lines = new ArrayList<>();
    if (own) {
      lines.add(
          "pool %s, %s: %d of %d decisions the same"
              .formatted(pool.name(), name, same(), answers.size()));
      if (pool.setup().isEmpty()) {
        lines.add(
            "  with standard settings and no bounds: run.json does not tell those of the run");
      }
      if (recording.partial() && same() < answers.size()) {
        lines.add(
            "  the record is partial: its controller knew more than the windows tell, so it may differ");
      }
      if (broken() && answers.stream().allMatch(answer -> answer.sameSize(bounds))) {
        lines.add(
            "  the sizes are; numbers or reasons are not, as in records of another version, or with rounded windows");
      }
    } else {
      long others = answers.stream().filter(answer -> !answer.sameSize(bounds)).count();
      lines.add(
          "pool %s, %s in place of %s: another size in %d of %d windows; mean size wanted %s, recorded %s"
              .formatted(
                  pool.name(),
                  name,
                  pool.controller().orElse("an unnamed one"),
                  others,
                  answers.size(),
                  mean(answers.stream().map(Answer::decision)),
                  mean(
                      answers.stream()
                          .map(Answer::window)
                          .map(RecordedWindow::recorded)
                          .flatMap(Stream::ofNullable))));
      lines.add(
          "  every window was measured at the recorded size: what the others would have brought is not known");
    }
    return lines;
  }

  private String mean(Stream<PoolDecision> decisions) {
    return String.format(
        Locale.ROOT,
        "%.1f",
        decisions.mapToInt(decision -> Answer.size(decision, bounds)).average().orElse(Double.NaN));
  }

  /** The answers in columns: all of them, or those that differ from what was recorded. */
  List<String> table(boolean all) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("time s", "size", "recorded", "this", " ", "reason"));
    for (Answer answer : answers) {
      boolean shown = own ? !answer.same() : !answer.sameSize(bounds);
      if (all || shown) {
        rows.add(
            List.of(
                time(answer),
                String.valueOf(answer.window().size()),
                Answer.cell(answer.window().recorded()),
                Answer.cell(answer.decision()),
                shown ? "*" : " ",
                answer.same() ? answer.decision().reason() : answer.explanation()));
      }
    }
    return rows.size() == 1 ? List.of() : aligned(rows);
  }

  private static List<String> aligned(List<List<String>> rows) {
    int[] widths = new int[REASON];
    for (List<String> row : rows) {
      for (int i = 0; i < REASON; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < REASON; i++) {
        line.append("  ").append(" ".repeat(widths[i] - row.get(i).length())).append(row.get(i));
      }
      lines.add(line.append("  ").append(row.get(REASON)).toString());
    }
    return lines;
  }

  /** One line of CSV an answer, without the header. */
  void csv(PrintWriter out) {
    for (Answer answer : answers) {
      PoolDecision recorded = answer.window().recorded();
      PoolDecision decision = answer.decision();
      out.println(
          Stream.of(
                  pool.name(),
                  time(answer),
                  String.valueOf(answer.window().size()),
                  recorded == null ? "" : recorded.action().toString(),
                  recorded == null || recorded.asked() == null ? "" : recorded.asked().toString(),
                  decision.action().toString(),
                  decision.asked() == null ? "" : decision.asked().toString(),
                  recorded == null ? "" : String.valueOf(answer.same()),
                  decision.reason(),
                  recorded == null ? "" : recorded.reason())
              .map(Result::quoted)
              .collect(Collectors.joining(",")));
    }
  }

  private String time(Answer answer) {
    return String.format(
        Locale.ROOT, "%.3f", (answer.window().window().end() - recording.start()) / 1e9);
  }

  private static String quoted(String cell) {
    return cell.matches("[^,\"\n\r]*") ? cell : '"' + cell.replace("\"", "\"\"") + '"';
  }
}
