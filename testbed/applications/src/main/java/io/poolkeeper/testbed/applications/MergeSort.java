package io.poolkeeper.testbed.applications;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Memory work: sorts an array of random integers by merging (Tennage 2020, section 5.3). Each merge
 * makes an array of its own, as in the textbook: a request for n integers allocates about 4 n log2
 * n bytes twice, for the halves and for what they are merged into.
 */
final class MergeSort implements Application {

  private final int size;
  private final Draws draws;

  /** Sorts so many integers for each request, 1 or more. */
  MergeSort(int size, Draws draws) {
    this.size = size;
    this.draws = draws;
  }

  /** The smallest and the largest of them, which only a sorted array has at its ends. */
  @Override
  public String answer() {
    int[] sorted = sorted(drawn());
    return sorted[0] + ".." + sorted[size - 1];
  }

  private int[] drawn() {
    SplittableRandom random = draws.next();
    int[] values = new int[size];
    for (int i = 0; i < size; i++) {
      values[i] = random.nextInt();
    }
    return values;
  }

  static int[] sorted(int[] values) {
    if (values.length < 2) {
      return values;
    }
    int middle = values.length / 2;
    return merged(
        sorted(Arrays.copyOf(values, middle)),
        sorted(Arrays.copyOfRange(values, middle, values.length)));
  }

  private static int[] merged(int[] left, int[] right) {
    int[] merged = new int[left.length + right.length];
    int l = 0;
    int r = 0;
    for (int i = 0; i < merged.length; i++) {
      boolean fromLeft = r == right.length || (l < left.length && left[l] <= right[r]);
      merged[i] = fromLeft ? left[l++] : right[r++];
    }
    return merged;
  }
}
