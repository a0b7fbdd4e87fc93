package io.poolkeeper.testbed.load.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Looks for a text in the bytes of an answer, however they are cut into pieces; each byte is looked
 * at once (the algorithm of Knuth, Morris and Pratt).
 */
final class ContentSearch {

  private String text = "";
  private byte[] wanted = new byte[0];

  /** For each length the longest proper beginning that ends there as well. */
  private int[] borders = new int[0];

  private int matched;

  /**
   * Begins anew.
   *
   * @param text to be found; empty for none
   */
  void begin(String text) {
    matched = 0;
    if (text.equals(this.text)) {
      return;
    }
    this.text = text;
    wanted = text.getBytes(StandardCharsets.UTF_8);
    borders = new int[wanted.length];
    int border = 0;
    for (int i = 1; i < wanted.length; i++) {
      while (border > 0 && wanted[i] != wanted[border]) {
        border = borders[border - 1];
      }
      if (wanted[i] == wanted[border]) {
        border++;
      }
      borders[i] = border;
    }
  }

  /** Takes {@code length} bytes out of {@code in}. */
  void take(ByteBuffer in, int length) {
    int end = in.position() + length;
    for (int i = in.position(); i < end && !found(); i++) {
      byte b = in.get(i);
      while (matched > 0 && b != wanted[matched]) {
        matched = borders[matched - 1];
      }
      if (b == wanted[matched]) {
        matched++;
      }
    }
    in.position(end);
  }

  /** Whether the text was found, or none is looked for. */
  boolean found() {
    return matched == wanted.length;
  }
}
