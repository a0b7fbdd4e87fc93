package io.poolkeeper.spring.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** The name that somebody meant who wrote another one. */
public final class NearestName {

  private NearestName() {}

  /** Returns the name with the smallest edit distance; empty if there are no names. */
  public static Optional<String> of(String written, Collection<String> names) {
    return names.stream().min(Comparator.comparingInt(name -> distance(written, name)));
  }

  /** Levenshtein distance, case ignored. */
  static int distance(String a, String b) {
    String left = a.toLowerCase(Locale.ROOT);
    String right = b.toLowerCase(Locale.ROOT);
    int[] row = new int[right.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int substituted = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[right.length()];
  }
}
