package io.poolkeeper.testbed.simulator.command;

import io.poolkeeper.testbed.simulator.Result;
import io.poolkeeper.testbed.simulator.file.RunPlan.Method;
import io.poolkeeper.testbed.simulator.statistics.Estimate;
import io.poolkeeper.testbed.simulator.statistics.Percentiles;
import io.poolkeeper.testbed.simulator.statistics.PoolStats;
import io.poolkeeper.testbed.simulator.statistics.RequestStats;
import io.poolkeeper.testbed.simulator.statistics.StationStats;
import io.poolkeeper.testbed.simulator.statistics.TimesEstimate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Results of all runs of a model. With replications an estimate is the mean of the runs, a
 * percentile that of all observations together, and the standard error comes from the runs. With
 * batches both are those of the one run, and what a run knows only as a whole has no interval.
 *
 * @param method what the standard errors rest on
 * @param runs how many runs there were
 * @param seconds virtual time that counted, of one run
 * @param events simulated in all runs, warm-ups included
 * @param requests what clients saw, by clients and request
 * @param pools what happened in each pool
 * @param stations what happened at each station
 * @param whole the one run whose batches make a series; empty for replications
 */
record Summary(
    Method method,
    int runs,
    double seconds,
    long events,
    List<Requests> requests,
    List<Pools> pools,
    List<Stations> stations,
    Optional<Result> whole) {

  /**
   * Results of one request, as clients saw it.
   *
   * @param clients who sent it
   * @param request its name
   * @param throughput answered per second
   * @param failed fraction of the requests that were refused or failed
   * @param response times of those that were answered
   * @param goodput answered within each bound of the run, per second
   */
  record Requests(
      String clients,
      String request,
      Estimate throughput,
      Estimate failed,
      Times response,
      List<Estimate> goodput) {}

  /**
   * Results of a pool.
   *
   * @param name its name
   * @param size mean size
   * @param busy mean number of units held
   * @param utilisation busy over size
   * @param queue mean number of waiting tasks
   * @param throughput tasks that ended per second
   * @param refused fraction of the tasks offered that were refused
   * @param queueWait times of waiting
   * @param serviceTime times from the start of a task to its end
   */
  record Pools(
      String name,
      Estimate size,
      Estimate busy,
      Estimate utilisation,
      Estimate queue,
      Estimate throughput,
      Estimate refused,
      Times queueWait,
      Times serviceTime) {}

  /**
   * Results of a station.
   *
   * @param name its name
   * @param utilisation mean fraction of it that worked
   * @param present mean number of tasks at it
   */
  record Stations(String name, Estimate utilisation, Estimate present) {}

  /** A distribution of times, in seconds. */
  record Times(
      Estimate mean, Estimate p50, Estimate p90, Estimate p95, Estimate p99, Estimate p999) {}

  private static final double[] FRACTIONS = {0.5, 0.9, 0.95, 0.99, 0.999};
  private static final double NANOS_PER_SECOND = 1e9;

  /** Of at least one run; all of the same model. */
  static Summary of(Method method, List<Result> results) {
    Result first = results.get(0);
    boolean whole = method == Method.BATCHES;
    return new Summary(
        method,
        results.size(),
        first.seconds(),
        results.stream().mapToLong(Result::events).sum(),
        each(first.requests(), results, Result::requests, all -> requests(all, whole)),
        each(first.pools(), results, Result::pools, all -> pools(all, whole)),
        each(first.stations(), results, Result::stations, Summary::stations),
        whole ? Optional.of(first) : Optional.empty());
  }

  /** The same part of every run, one by one. */
  private static <T, S> List<S> each(
      List<T> parts,
      List<Result> results,
      Function<Result, List<T>> of,
      Function<List<T>, S> together) {
    List<S> found = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      int place = i;
      found.add(together.apply(results.stream().map(each -> of.apply(each).get(place)).toList()));
    }
    return found;
  }

  private static Requests requests(List<RequestStats> all, boolean whole) {
    RequestStats first = all.get(0);
    return new Requests(
        first.clients(),
        first.request(),
        whole ? first.throughput() : mean(all, each -> each.throughput().value()),
        mean(all, each -> ratio(each.failures(), each.failures() + each.completions())),
        times(all.stream().map(RequestStats::responseTime).toList(), whole),
        IntStream.range(0, first.goodputs().size())
            .mapToObj(bound -> goodput(all, bound, whole))
            .toList());
  }

  private static Estimate goodput(List<RequestStats> all, int bound, boolean whole) {
    return whole
        ? Estimate.of(values(all.get(0).goodputs().get(bound)))
        : mean(all, each -> Arrays.stream(values(each.goodputs().get(bound))).average().orElse(0));
  }

  private static double[] values(List<Double> list) {
    return list.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static Pools pools(List<PoolStats> all, boolean whole) {
    return new Pools(
        all.get(0).name(),
        mean(all, PoolStats::size),
        mean(all, PoolStats::busy),
        mean(all, PoolStats::utilisation),
        mean(all, PoolStats::queueMean),
        mean(all, PoolStats::throughput),
        mean(all, each -> ratio(each.rejections(), each.arrivals())),
        times(all.stream().map(PoolStats::queueWait).toList(), whole),
        times(all.stream().map(PoolStats::serviceTime).toList(), whole));
  }

  private static Stations stations(List<StationStats> all) {
    return new Stations(
        all.get(0).name(), mean(all, StationStats::utilisation), mean(all, StationStats::present));
  }

  private static Times times(List<TimesEstimate> all, boolean whole) {
    if (whole) {
      TimesEstimate only = all.get(0);
      return new Times(only.mean(), only.p50(), only.p90(), only.p95(), only.p99(), only.p999());
    }
    // The constructor takes the settings of a histogram, not what it counted.
    Histogram together = new Histogram(all.get(0).nanoseconds());
    all.forEach(each -> together.add(each.nanoseconds()));
    double[] pooled = Percentiles.of(together, FRACTIONS);
    List<Function<TimesEstimate, Estimate>> of =
        List.of(
            TimesEstimate::p50,
            TimesEstimate::p90,
            TimesEstimate::p95,
            TimesEstimate::p99,
            TimesEstimate::p999);
    List<Estimate> found =
        IntStream.range(0, pooled.length)
            .mapToObj(
                i ->
                    Estimate.centredOn(
                        pooled[i] / NANOS_PER_SECOND,
                        samples(all, each -> of.get(i).apply(each).value())))
            .toList();
    return new Times(
        mean(all, each -> each.mean().value()),
        found.get(0),
        found.get(1),
        found.get(2),
        found.get(3),
        found.get(4));
  }

  private static <T> Estimate mean(List<T> all, ToDoubleFunction<T> value) {
    return Estimate.of(samples(all, value));
  }

  /** Runs in which nothing of the kind happened say nothing. */
  private static <T> double[] samples(List<T> all, ToDoubleFunction<T> value) {
    return all.stream().mapToDouble(value).filter(each -> !Double.isNaN(each)).toArray();
  }

  private static double ratio(long part, long of) {
    return of == 0 ? Double.NaN : (double) part / of;
  }
}
