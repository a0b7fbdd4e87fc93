package io.poolkeeper.testbed.controllers;

import java.util.Locale;

/**
 * The reason for an answer of an {@link EventPolicy}: a sentence and its numbers, put together when
 * somebody asks. A policy whose answers a pool cannot follow gives one at every event, and none of
 * them may cost an object.
 */
public final class Reason {

  private String sentence = "";
  private double first;
  private double second;
  private double third;

  /**
   * Notes why {@code size} is wanted.
   *
   * @param sentence a format with up to three places for numbers, such as {@code %.0f}
   * @return {@code size}
   */
  public int want(int size, String sentence, double first, double second, double third) {
    this.sentence = sentence;
    this.first = first;
    this.second = second;
    this.third = third;
    return size;
  }

  /** {@link #want(int, String, double, double, double)} with two numbers. */
  public int want(int size, String sentence, double first, double second) {
    return want(size, sentence, first, second, 0);
  }

  /** {@link #want(int, String, double, double, double)} with one number. */
  public int want(int size, String sentence, double first) {
    return want(size, sentence, first, 0, 0);
  }

  /** The last reason in words; empty if there was none. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, sentence, first, second, third);
  }
}
