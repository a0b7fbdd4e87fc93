package io.tidepool.testbed.load.traffic;

import io.tidepool.testbed.load.description.Request;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Chooses requests at random, each as often as its weight says. */
final class RequestMix {

  private final Request[] requests;
  private final double[] cumulative;

  /**
   * @param requests at least one with a weight above 0; the others are never chosen
   */
  RequestMix(List<Request> requests) {
    this.requests =
        requests.stream().filter(request -> request.weight() > 0).toArray(Request[]::new);
    cumulative = Arrays.stream(this.requests).mapToDouble(Request::weight).toArray();
    Arrays.parallelPrefix(cumulative, Double::sum);
  }

  Request next(SplittableRandom random) {
    if (requests.length == 1) {
      return requests[0];
    }
    double point = random.nextDouble() * cumulative[cumulative.length - 1];
    int found = Arrays.binarySearch(cumulative, point);
    return requests[found >= 0 ? found + 1 : -found - 1];
  }
}
