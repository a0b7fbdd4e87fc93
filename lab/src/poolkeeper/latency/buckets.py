"""Buckets of equal relative width, as HdrHistogram has them, numbered by the bits of a float.

With d significant digits a power of two is divided into 2^m buckets, 2^m >= 10^d, so that a bucket is at most 2^-m of
its lowest value wide. The number of a bucket is what is left of a float64's bits (exponent and the first m bits of the
mantissa) when it is cut: integers from 2^m on share buckets exactly as in an HdrHistogram of d digits, and smaller
ones, like any other positive number, have buckets no wider. Unlike HdrHistogram no range has to be named beforehand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats, Integers

_MANTISSA_BITS = 52
MOST_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Bound on the error of values that were counted in buckets, each taken at the middle of its bucket."""

    relative: float = 0.0
    """Error as a share of the value, in all buckets but the narrowest."""
    least: float = 0.0
    """Half the width of the narrowest buckets, in the unit of the values: small values lie no nearer to the middle."""

    def at(self, value: float) -> float:
        """Error of a value."""
        return max(self.relative * abs(value), self.least)

    def merged(self, other: Accuracy) -> Accuracy:
        """Bound for the values of both."""
        return Accuracy(max(self.relative, other.relative), max(self.least, other.least))


EXACT = Accuracy()
"""Accuracy of values that nobody has counted in buckets."""


def resolution(digits: int) -> int:
    """Bits of the mantissa that a bucket keeps for 1 to 5 significant digits; raises InputError for others."""
    if not 1 <= digits <= MOST_DIGITS:
        raise InputError(f"digits: {digits} significant digits; there can be 1 to {MOST_DIGITS}")
    return math.ceil(digits * math.log2(10))


def relative_error(digits: int) -> float:
    """Largest distance of a value from its bucket's middle, relative to the value: 2^-(m + 1); 0.0005 for 3 digits."""
    return 2.0 ** -(resolution(digits) + 1)


def numbers(values: Floats, digits: int) -> Integers:
    """The bucket of each value, shape (n,). Values must be finite and not negative; this is not checked."""
    # Adding 0 makes a negative zero a positive one, whose bits are those of the first bucket.
    bits: Integers = (np.ascontiguousarray(values, dtype=np.float64) + 0.0).view(np.int64)
    return bits >> (_MANTISSA_BITS - resolution(digits))


def lower_edges(buckets: Integers, digits: int) -> Floats:
    """The least value of each bucket, shape (n,); that of the next bucket is where it ends."""
    bits: Integers = np.asarray(buckets, dtype=np.int64) << (_MANTISSA_BITS - resolution(digits))
    return bits.view(np.float64)


def middles(buckets: Integers, digits: int) -> Floats:
    """Representative value of each bucket, shape (n,): its middle, and 0 for the bucket that begins there."""
    halves: Floats = (lower_edges(buckets, digits) + lower_edges(buckets + 1, digits)) / 2
    return np.where(buckets == 0, 0.0, halves)


def coarser(buckets: Integers, digits: int, wanted: int) -> Integers:
    """The numbers that the same buckets have with fewer digits."""
    return buckets >> (resolution(digits) - resolution(wanted))
