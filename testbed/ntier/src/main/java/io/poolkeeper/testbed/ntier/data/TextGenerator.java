package io.poolkeeper.testbed.ntier.data;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws texts from a fixed list of words. Word {@code k} has a probability in proportion to {@code
 * 1 / k}, as in natural languages (Zipf's law), so a search finds few rows or many.
 */
final class TextGenerator {

  /** From the most frequent to the rarest. */
  static final List<String> WORDS =
      List.of(
          ("server thread pool query index cache kernel driver release licence patch network packet"
                  + " router disk memory processor compiler language library browser script"
                  + " editor desktop window terminal shell process signal socket protocol cipher"
                  + " key certificate password account session cookie proxy gateway tunnel"
                  + " firewall virus worm spam filter archive backup mirror torrent stream codec"
                  + " video audio radio phone tablet battery screen keyboard mouse printer scanner"
                  + " camera lens sensor robot satellite rocket orbit planet comet telescope galaxy"
                  + " physics quantum particle laser fusion reactor climate energy solar turbine"
                  + " engine vehicle bicycle train bridge tower antenna cable fibre copper silicon"
                  + " wafer chip circuit board transistor register pipeline vector matrix tensor"
                  + " graph tree heap stack queue lock mutex barrier scheduler timer clock")
              .split(" "));

  private final double[] sums = new double[WORDS.size()];
  private final SplittableRandom random;

  TextGenerator(SplittableRandom random) {
    this.random = random;
    double sum = 0;
    for (int i = 0; i < sums.length; i++) {
      sum += 1.0 / (i + 1);
      sums[i] = sum;
    }
  }

  /** Draws a word. */
  String word() {
    double at = random.nextDouble(sums[sums.length - 1]);
    int low = 0;
    int high = sums.length - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (at < sums[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return WORDS.get(low);
  }

  /** Draws from {@code least} to {@code most} words, uniformly many. */
  String words(int least, int most) {
    int count = random.nextInt(least, most + 1);
    StringBuilder text = new StringBuilder(count * 8);
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : " ").append(word());
    }
    return text.toString();
  }
}
