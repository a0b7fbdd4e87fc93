"""Response times in the order in which they were seen, with what all figures need of them computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tidepool.arrays import vector
from tidepool.latency.dependence import Dependence, dependence

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from tidepool.arrays import Floats


@dataclass(frozen=True, eq=False)
class Sample:
    """Values, shape (n,), of any unit, in the order of time.

    `independent` says that their order means nothing, so that none is looked for in it.
    """

    values: Floats
    independent: bool = False

    @classmethod
    def of(cls, values: ArrayLike | Sample, *, independent: bool = False, name: str = "values") -> Sample:
        """The values checked; a sample is taken as it is. Raises DataError for what is no vector of finite numbers."""
        return values if isinstance(values, Sample) else cls(vector(values, name), independent)

    @cached_property
    def ordered(self) -> Floats:
        """The values in ascending order."""
        return np.sort(self.values)

    @property
    def count(self) -> int:
        """How many values there are."""
        return self.values.size

    @cached_property
    def mean_dependence(self) -> Dependence:
        """How far the values depend on each other, as far as their mean is concerned."""
        return self._of(self.values)

    @cached_property
    def rank_dependence(self) -> Dependence:
        """How far the ranks of the values depend on each other: the same for any scale, and blind to outliers."""
        return self._of(np.searchsorted(self.ordered, self.values).astype(np.float64))

    def dependence_below(self, bound: float) -> Dependence:
        """How far it depends on the values before whether a value is at most `bound`."""
        return self._of((self.values <= bound).astype(np.float64))

    @cached_property
    def sorted_by_hand(self) -> bool:
        """Whether the values ascend or descend all along, so that their order in time is lost."""
        steps = np.diff(self.values)
        return self.count > _CHANCE and bool(np.all(steps >= 0) or np.all(steps <= 0)) and bool(np.any(steps))

    def _of(self, series: Floats) -> Dependence:
        return Dependence(1.0, self.count - 1, independent=True) if self.independent else dependence(series)


_CHANCE = 10
"""So many values are in order by chance once in 1.8 million samples."""
