package io.poolkeeper.testbed.tunnel.plant;

import java.util.function.IntToDoubleFunction;

/**
 * A closed system of one delay and one station whose rate depends on how many are there: the
 * machine repairman. Its states are a birth-death process, solved exactly (Kleinrock 1975, chapter
 * 3); exponential delays are no restriction, and neither are exponential services where the station
 * shares its rate among all that are there (Baskett, Chandy, Muntz and Palacios 1975).
 */
public final class Repairman {

  private Repairman() {}

  /**
   * Completions per second.
   *
   * @param customers 0 or more
   * @param delaySeconds mean delay between a completion and the next arrival of the same customer,
   *     above 0
   * @param rate completions per second of the station with 1 or more customers
   */
  public static double throughput(int customers, double delaySeconds, IntToDoubleFunction rate) {
    // Unnormalised log probabilities, so that a thousand customers neither overflow nor vanish.
    double[] logs = new double[customers + 1];
    double largest = 0;
    for (int j = 1; j <= customers; j++) {
      double arrivals = (customers - j + 1) / delaySeconds;
      logs[j] = logs[j - 1] + Math.log(arrivals / rate.applyAsDouble(j));
      largest = Math.max(largest, logs[j]);
    }
    double total = 0;
    double completions = 0;
    for (int j = 0; j <= customers; j++) {
      double weight = Math.exp(logs[j] - largest);
      total += weight;
      completions += j == 0 ? 0 : weight * rate.applyAsDouble(j);
    }
    return completions / total;
  }
}
