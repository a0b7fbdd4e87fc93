"""How throughput grows with concurrency, and how many users a service can take."""

from tidepool.scalability.capacity import Capacity, Question, capacity
from tidepool.scalability.choice import Choice, choose
from tidepool.scalability.fit import Amdahl, Linear, Usl
from tidepool.scalability.law import Law
from tidepool.scalability.laws import Check, Holds, forced_flow, littles_law, littles_law_of, utilisation_law
from tidepool.scalability.levels import LoadLevel, LoadLevels
from tidepool.scalability.percentile_curve import Level, Load
from tidepool.scalability.prediction import Prediction

__all__ = [
    "Amdahl",
    "Capacity",
    "Check",
    "Choice",
    "Holds",
    "Law",
    "Level",
    "Linear",
    "Load",
    "LoadLevel",
    "LoadLevels",
    "Prediction",
    "Question",
    "Usl",
    "capacity",
    "choose",
    "forced_flow",
    "littles_law",
    "littles_law_of",
    "utilisation_law",
]
