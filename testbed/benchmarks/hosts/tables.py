"""Tables of the benchmark `hosts`."""

import math
import statistics

from rounds import judged, told

BASELINE = "tomcat"
WORKS = ("call20", "call400", "hot-rows")
TRIVIAL_TARGET, CHANGING_TARGET = 0.97, 1.0
TRIVIAL_USERS = 50


def median(values):
    known = [value for value in values if value is not None and not math.isnan(value)]
    return statistics.median(known) if known else math.nan


def show_changing(turns, names):
    """A table of each work, and the ratios to Tomcat."""
    print("\np99 is that of answers that came; threads are those of the whole process, without the database's and the downstream server's.")
    for place, work in enumerate(WORKS):
        print(f"\n{work}\n  {'':16} {'answers/s':>10} {'p99 ms':>8} {'errors':>7} {'threads':>8}  95 % of the best after")
        for name in names:
            found = [turn[name][place] for turn in turns]
            levels = [max(turn[other][place].steady for other in names) for turn in turns]
            times = [each.seconds_to(level) for each, level in zip(found, levels)]
            reached = [each for each in times if each is not None]
            after = f"{statistics.median(reached):.1f} s, " if reached else ""
            after = f"{after}in {len(reached)} of {len(times)} turns" if found[0].tells_time else "phases of less than 4 s do not tell"
            print(
                f"  {name:16} {median(each.rate for each in found):10,.0f} {median(each.p99_ms for each in found):8,.0f}"
                f" {sum(each.errors for each in found):7,} {median(each.threads for each in found):8.0f}  {after}"
            )
        for name in names[1:]:
            print(f"  {name:16} {ratio_of(turns, name, [place])}")
    print("\ngeometric mean of the ratios over all works:")
    for name in names[1:]:
        print(f"  {name:16} {ratio_of(turns, name, range(len(WORKS)), CHANGING_TARGET if name == 'adaptive-tomcat' else None)}")


def ratio_of(turns, name, places, target=None):
    """Ratio of answers a second to that of Tomcat with 200 threads in the same round, in words."""
    pairs = [[(turn[name][place].rate, turn[BASELINE][place].rate) for place in places] for turn in turns]
    if any(rate == 0 for each in pairs for pair in each for rate in pair):
        return f"no ratio to {BASELINE}: there were rounds without an answer"
    ratios = [math.exp(statistics.fmean(math.log(ours / base) for ours, base in each)) for each in pairs]
    return f"ratio to {BASELINE} {told(ratios)}" + (f"; target {target}: {judged(ratios, target)}" if target else "")


def show_trivial(turns, names):
    """Rates and processor times, and the ratios to Tomcat."""
    print(f"\nio-10, {TRIVIAL_USERS} users: answers a second, processor time of the server for each")
    for name in names:
        rate, cost, _ = (statistics.median(column) for column in zip(*(turn[name] for turn in turns)))
        ratios = [turn[name].rate / turn[BASELINE].rate for turn in turns]
        target = f"; target {TRIVIAL_TARGET}: {judged(ratios, TRIVIAL_TARGET)}" if name == "adaptive-tomcat" else ""
        print(f"  {name:16} {rate:10,.0f} {cost:8.1f} us" + ("" if name == BASELINE else f"  ratio to {BASELINE} {told(ratios)}{target}"))
