"""Shared by benchmarks in Python: numbers of options, intervals of ratios over rounds, and an orderly end."""

import argparse
import math
import signal
import statistics
import sys

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPTED = 130


def whole(least):
    """Returns a parser of whole numbers, for argparse."""

    def parse(text):
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number, {least} or more, but is '{text}'")
        return int(text)

    return parse


class Arguments(argparse.ArgumentParser):
    """Parser that has one line for whatever is wrong."""

    def error(self, message):
        """Ends the program."""
        print(f"poolkeeper: {message} (--help explains)", file=sys.stderr)
        sys.exit(2)


def interruptible(main):
    """Runs a benchmark and ends the program. The first signal is Ctrl-C wherever it comes from; those after it would cut the cleaning up short."""

    def interrupt(*_):
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in SIGNALS:
        signal.signal(number, interrupt)
    try:
        main()
    except KeyboardInterrupt:
        print("poolkeeper: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


def progress(text):
    """Tells whoever waits how far it is; standard output is for results."""
    print(text, file=sys.stderr, flush=True)


def median_interval(values):
    """An interval that holds the median with 95 % or more, whatever its distribution; None of fewer than six values.

    Ranks are those of the sign test (Conover, Practical Nonparametric Statistics, 3.2)."""
    ordered, n, beyond, tail = sorted(values), len(values), 0, 2 * 0.5 ** len(values)
    if tail > 0.05:
        return None
    while tail + 2 * math.comb(n, beyond + 1) * 0.5**n <= 0.05:
        beyond += 1
        tail += 2 * math.comb(n, beyond) * 0.5**n
    return ordered[beyond], ordered[n - 1 - beyond]


def judged(values, target, *, below=False):
    """Whether the median of all rounds there could be reaches the target, or stays below it."""
    interval = median_interval(values)
    if interval is None:
        return "too few rounds to tell"
    least, most = interval
    reached, missed = (most < target, least >= target) if below else (least >= target, most < target)
    return "reached" if reached else "missed" if missed else "undecided"


def told(values, digits=2):
    """The median of values of all rounds, its interval, and the range."""
    interval = median_interval(values)
    sure = f"95 % {interval[0]:.{digits}f} to {interval[1]:.{digits}f}, " if interval else ""
    return f"{statistics.median(values):.{digits}f} ({sure}range {min(values):.{digits}f} to {max(values):.{digits}f}, n = {len(values)})"
