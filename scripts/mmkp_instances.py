#!/usr/bin/env python3
"""A multiple-choice knapsack with several limits, in the text format that the example `mmkp` of walras-core reads.

    python3 scripts/mmkp_instances.py CLASSES LIMITS SEED > FILE

Ten candidates a class take 0 to 9 of each limit; the value follows what is taken at prices of 2 to 8, and chance. Limits are
nine tenths of what candidates take on average.
"""

import random
import sys

classes, limits, seed = map(int, sys.argv[1:4])
draw = random.Random(seed)
prices = [draw.uniform(2, 8) for _ in range(limits)]
table = []
for _ in range(classes):
    candidates = []
    for _ in range(10):
        takes = [draw.randint(0, 9) for _ in range(limits)]
        value = int(sum(take * price for take, price in zip(takes, prices)) + draw.randint(0, 60 * limits // 5))
        candidates.append((value, takes))
    table.append(candidates)
mean = lambda limit: sum(sum(takes[limit] for _, takes in candidates) / 10 for candidates in table)
print(classes, limits)
print(*(int(0.9 * mean(limit)) for limit in range(limits)))
for candidates in table:
    print(10)
    for value, takes in candidates:
        print(value, *takes)
