"""Throughput as a function of concurrency, and the users that a service can take."""

from poolkeeper.scalability.capacity import Capacity, Question, capacity
from poolkeeper.scalability.choice import Choice, choose
from poolkeeper.scalability.fit import Amdahl, Linear, Usl
from poolkeeper.scalability.law import Law
from poolkeeper.scalability.laws import Check, Holds, forced_flow, littles_law, littles_law_of, utilisation_law
from poolkeeper.scalability.levels import LoadLevel, LoadLevels
from poolkeeper.scalability.percentile_curve import Level, Load
from poolkeeper.scalability.prediction import Prediction
from poolkeeper.scalability.quadratic import Quadratic, quadratic

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
    "Quadratic",
    "Question",
    "Usl",
    "capacity",
    "choose",
    "forced_flow",
    "littles_law",
    "littles_law_of",
    "quadratic",
    "utilisation_law",
]
