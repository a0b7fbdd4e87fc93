"""Queueing models: response times, throughputs and utilisations from demands, servers and load.

Times are in any unit and rates in its inverse; everything comes out in the same. Sources: Lazowska, Zahorjan, Graham,
Sevcik: Quantitative System Performance, 1984; Reiser, Lavenberg: Mean-value analysis of closed multichain queuing
networks, JACM 27(2), 1980; Bolch, Greiner, de Meer, Trivedi: Queueing Networks and Markov Chains, 2nd ed., 2006.
"""

from poolkeeper.queueing.centre import Centre
from poolkeeper.queueing.closed import ClosedQueue, closed_queue, repairman
from poolkeeper.queueing.loss import LossSystem, loss_system, servers_for_loss
from poolkeeper.queueing.multi_class import (
    ClassFigures,
    ClosedClass,
    MultiClassCentre,
    MultiClassNetwork,
    OpenClass,
    mva_classes,
    open_classes,
)
from poolkeeper.queueing.network import ClosedNetwork, mva
from poolkeeper.queueing.open_network import OpenNetwork, open_network, visits
from poolkeeper.queueing.pool import PoolQueue, pool_queue
from poolkeeper.queueing.single import OpenQueue, erlang_b, erlang_c, half_open, mg1, mgc, mm1, mmc, mmck, open_queue

__all__ = [
    "Centre",
    "ClassFigures",
    "ClosedClass",
    "ClosedNetwork",
    "ClosedQueue",
    "LossSystem",
    "MultiClassCentre",
    "MultiClassNetwork",
    "OpenClass",
    "OpenNetwork",
    "OpenQueue",
    "PoolQueue",
    "closed_queue",
    "erlang_b",
    "erlang_c",
    "half_open",
    "loss_system",
    "mg1",
    "mgc",
    "mm1",
    "mmc",
    "mmck",
    "mva",
    "mva_classes",
    "open_classes",
    "open_network",
    "open_queue",
    "pool_queue",
    "repairman",
    "servers_for_loss",
    "visits",
]
