package io.poolkeeper.linux;

import java.nio.charset.StandardCharsets;

/** A cursor over the text of a file of the kernel, without an object for each number. */
final class Fields {

  private final byte[] bytes;
  private int length;
  private int position;

  Fields(byte[] bytes) {
    this.bytes = bytes;
  }

  Fields reset(int length) {
    this.length = length;
    position = 0;
    return this;
  }

  /** Returns whether there is more than blanks. */
  boolean hasMore() {
    skipBlanks();
    return position < length;
  }

  /** Reads a counter that may use all 64 bits, so that differences are right when it wraps. */
  long counter() {
    skipBlanks();
    int start = position;
    long value = 0;
    while (position < length && bytes[position] >= '0' && bytes[position] <= '9') {
      value = value * 10 + (bytes[position] - '0');
      position++;
    }
    if (position == start) {
      throw wrong("a number", start);
    }
    return value;
  }

  /** Reads a number after a label. */
  long counter(String label) {
    expect(label);
    return counter();
  }

  /** Reads the decimal number after a label. */
  double decimal(String label) {
    expect(label);
    String word = word();
    try {
      return Double.parseDouble(word);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + word + "' where a number should be");
    }
  }

  /** Reads what stands up to the next blank. */
  String word() {
    skipBlanks();
    int start = position;
    while (position < length && bytes[position] > ' ') {
      position++;
    }
    return new String(bytes, start, position - start, StandardCharsets.UTF_8);
  }

  /** Passes over {@code count} words. */
  void skip(int count) {
    for (int i = 0; i < count; i++) {
      skipBlanks();
      int start = position;
      while (position < length && bytes[position] > ' ') {
        position++;
      }
      if (position == start) {
        throw wrong("a field", start);
      }
    }
  }

  /** Moves behind the last occurrence of a character. */
  void skipPastLast(char character) {
    for (int i = length - 1; i >= position; i--) {
      if (bytes[i] == character) {
        position = i + 1;
        return;
      }
    }
    throw wrong("'" + character + "'", position);
  }

  /** Reads one character. */
  char character() {
    if (!hasMore()) {
      throw wrong("a character", position);
    }
    return (char) bytes[position++];
  }

  /** Passes over a label. */
  void expect(String label) {
    skipBlanks();
    for (int i = 0; i < label.length(); i++) {
      if (position + i >= length || bytes[position + i] != label.charAt(i)) {
        throw wrong("'" + label + "'", position);
      }
    }
    position += label.length();
  }

  private void skipBlanks() {
    while (position < length && bytes[position] <= ' ') {
      position++;
    }
  }

  private IllegalArgumentException wrong(String expected, int at) {
    String rest =
        new String(bytes, at, Math.min(20, Math.max(0, length - at)), StandardCharsets.UTF_8);
    return new IllegalArgumentException("'" + rest.strip() + "' where " + expected + " should be");
  }
}
