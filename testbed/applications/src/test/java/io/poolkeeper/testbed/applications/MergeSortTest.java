package io.poolkeeper.testbed.applications;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class MergeSortTest {

  @Test
  void agreesWithTheJdk() {
    SplittableRandom random = new SplittableRandom(1);
    for (int size = 0; size < 200; size++) {
      // Few different values, so that many are equal.
      int[] values = random.ints(size, -size / 2, size / 2 + 1).toArray();
      int[] expected = values.clone();
      Arrays.sort(expected);
      int[] given = values.clone();
      assertThat(MergeSort.sorted(given)).isEqualTo(expected);
      assertThat(given).as("it is left as it was").isEqualTo(values);
    }
  }

  @Test
  void eachRequestSortsNumbersOfItsOwnAndServersOfOneSeedTheSame() throws Exception {
    Application first = Applications.named("memory-1000", 0, 7, null);
    Application second = Applications.named("memory-1000", 0, 7, null);
    String answer = first.answer();
    assertThat(answer).matches("-\\d+\\.\\.\\d+").isEqualTo(second.answer());
    assertThat(first.answer()).isNotEqualTo(answer);
  }
}
