package io.poolkeeper.testbed.controllers;

import java.util.SplittableRandom;

/**
 * Randomness as a value: the n-th draw of a seed, whoever asks. What was drawn so far is one number
 * in the state of a controller, so that it goes on as it would have after a restart.
 */
public record Coin(long seed) {

  /** Heads or tails of draw {@code index}. */
  public boolean heads(long index) {
    return draw(index, 2) == 0;
  }

  /** A whole number of draw {@code index}, from 0 to {@code bound - 1}. */
  public int draw(long index, int bound) {
    // The increment of SplitMix64 keeps the streams of neighbouring indices apart.
    return new SplittableRandom(seed + index * 0x9E3779B97F4A7C15L).nextInt(bound);
  }
}
