#!/usr/bin/env python3
"""A fresh instance of the generalised assignment problem's classes a to e, by their published definitions.

    python3 scripts/gap_instances.py CLASS SITES JOBS SEED > FILE

The text format is the OR-Library's: sites and jobs, costs, what is taken, capacities. `walras assign FILE --format
orlib-gap` and the example `orlib` of walras-assign read it.
"""

import math
import random
import sys


def tables(kind, sites, jobs, draw):
    """Costs and what is taken, a row per site."""
    everywhere = [(site, job) for site in range(sites) for job in range(jobs)]
    takes = [[0] * jobs for _ in range(sites)]
    costs = [[0] * jobs for _ in range(sites)]
    for site, job in everywhere:
        if kind in "abc":
            takes[site][job] = draw.randint(5, 25)
        elif kind == "d":
            takes[site][job] = draw.randint(1, 100)
        else:
            takes[site][job] = max(1, math.ceil(1 - 10 * math.log(1 - draw.random())))
    for site, job in everywhere:
        taken = takes[site][job]
        if kind in "abc":
            costs[site][job] = draw.randint(10, 50)
        elif kind == "d":
            costs[site][job] = 111 - taken + draw.randint(-10, 10)
        else:
            costs[site][job] = max(1, math.floor(1000 / taken - 10 * draw.random()))
    return costs, takes


def capacities(kind, sites, jobs, costs, takes):
    """Loose (a, b: from the load of the cheapest sites) or four fifths of an even share (c, d, e)."""
    if kind not in "ab":
        return [int(0.8 * sum(row) / sites) for row in takes]
    loads = [0] * sites
    for job in range(jobs):
        site = min(range(sites), key=lambda site: (costs[site][job], site))
        loads[site] += takes[site][job]
    room = 0.6 * (jobs / sites) * 15 + 0.4 * max(loads)
    return [int(room if kind == "a" else 0.7 * room)] * sites


def main():
    kind, (sites, jobs, seed) = sys.argv[1], map(int, sys.argv[2:5])
    draw = random.Random(f"{kind}-{sites}-{jobs}-{seed}")
    costs, takes = tables(kind, sites, jobs, draw)
    print(sites, jobs)
    for row in costs + takes + [capacities(kind, sites, jobs, costs, takes)]:
        print(*row)


main()
