"""How throughput grows with concurrency, and how many users a service can take."""

from tidepool.scalability.fit import Amdahl, Linear, Usl
from tidepool.scalability.law import Law
from tidepool.scalability.prediction import Prediction

__all__ = ["Amdahl", "Law", "Linear", "Prediction", "Usl"]
