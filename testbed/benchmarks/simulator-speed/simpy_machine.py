"""The closed machine of the benchmark in SimPy, twice; prints completions, events and seconds as JSON.

idiomatic: a process a user, and a resource of as many servers. published: the shape of Tennage 2020, figure 8.2: users
and servers are processes that pass requests through one store and answers through one filter store, from which each
user picks its own; it has no think time.
"""

from __future__ import annotations

import json
import random
import sys
import time

import simpy


class CountingEnvironment(simpy.Environment):
    """Counts the events that happen."""

    def __init__(self):
        super().__init__()
        self.events = 0

    def step(self):
        self.events += 1
        super().step()


class Count:
    """Completions so far."""

    number = 0


def idiomatic(env, users, servers, think, service, done):
    machine = simpy.Resource(env, servers)

    def user():
        while True:
            if think:
                yield env.timeout(random.expovariate(1 / think))
            with machine.request() as turn:
                yield turn
                yield env.timeout(random.expovariate(1 / service))
            done.number += 1

    for _ in range(users):
        env.process(user())


def published(env, users, servers, _think, service, done):
    requests, answers = simpy.Store(env), simpy.FilterStore(env)

    def user(own):
        while True:
            requests.put((own, random.expovariate(1 / service)))
            yield answers.get(lambda answer: answer[0] == own)
            done.number += 1

    def server():
        while True:
            request = yield requests.get()
            yield env.timeout(request[1])
            answers.put(request)

    for own in range(users):
        env.process(user(own))
    for _ in range(servers):
        env.process(server())


def main():
    shape, users, servers, think, service, seconds, seed = sys.argv[1:]
    random.seed(int(seed))
    # Events are counted in a run of their own, because counting them costs time.
    found = {}
    for counting in (False, True):
        env, done = (CountingEnvironment if counting else simpy.Environment)(), Count()
        {"idiomatic": idiomatic, "published": published}[shape](
            env, int(users), int(servers), float(think), float(service), done
        )
        began, until = time.perf_counter(), 0.0
        limit = float(seconds) / (4 if counting else 1)
        while time.perf_counter() - began < limit:
            until += max(1.0, float(think) / 20)
            env.run(until)
        elapsed = time.perf_counter() - began
        if counting:
            found["events_per_completion"] = env.events / max(1, done.number)
        else:
            found |= {"completions": done.number, "seconds": elapsed}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
