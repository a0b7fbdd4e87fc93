"""How throughput grows with concurrency, and how many users a service can take."""

from tidepool.scalability.capacity import Capacity, Question, capacity
from tidepool.scalability.fit import Amdahl, Linear, Usl
from tidepool.scalability.law import Law
from tidepool.scalability.percentile_curve import Level, Load
from tidepool.scalability.prediction import Prediction

__all__ = ["Amdahl", "Capacity", "Law", "Level", "Linear", "Load", "Prediction", "Question", "Usl", "capacity"]
