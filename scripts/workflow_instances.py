#!/usr/bin/env python3
"""Fresh workflows, to measure and to hold proofs against a solver's: python3 scripts/workflow_instances.py SEED COUNT FOLDER [TASKS]

Five shapes in turn: layers in which every task waits for one to three of the layer before; forks that join again, one after the other; trees
that grow together; trees that grow apart; and tasks in a row that each wait for a few of the last ten. 12 to 50 tasks, or as many as are
asked for, of 1 to 60 seconds, 1 MB to 1 GB on an edge; large ones are wider in proportion to the root of their size. Written as `workflow/1`.
"""

import json
import math
import random
import sys
from pathlib import Path


def wider(size):
    return max(1, math.isqrt(size) // 7)


def layers(draw, size):
    width = draw.randint(3, 8) * wider(size)
    for task in range(width, size):
        first = task // width * width - width
        for before in draw.sample(range(first, first + width), draw.randint(1, 3)):
            yield before, task


def forks(draw, size):
    last, task = 0, 1
    while task < size - 1:
        pieces = range(task, min(task + draw.randint(2, 9) * wider(size), size - 1))
        task = pieces[-1] + 1
        for piece in pieces:
            yield last, piece
            yield piece, task
        last, task = task, task + 1
    if last < size - 1:
        yield last, size - 1


def tree(draw, size):
    for task in range(1, size):
        yield draw.randint(max(0, task // 3 - 1), max(0, task // 2 - 1)), task


def joined_tree(draw, size):
    for before, task in tree(draw, size):
        yield size - 1 - task, size - 1 - before


def row(draw, size):
    for task in range(1, size):
        around = range(max(0, task - 10 * wider(size)), task)
        for before in sorted(draw.sample(around, min(len(around), draw.randint(1, 3)))):
            yield before, task


SHAPES = [layers, forks, joined_tree, tree, row]


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    fixed = int(sys.argv[4]) if len(sys.argv) > 4 else None
    draw = random.Random(seed)
    for number in range(count):
        shape, size = SHAPES[number % len(SHAPES)], fixed or draw.randint(12, 50)
        edges = sorted(set(shape(draw, size)))
        name = f"{shape.__name__}-{size}-{number:02}"
        tasks = [{"name": f"t{task}", "work": draw.randint(1, 60)} for task in range(size)]
        moved = [
            {"from": f"t{before}", "to": f"t{task}", "bytes": round(10 ** draw.uniform(6, 9))} for before, task in edges
        ]
        whole = {"walras": "workflow/1", "name": name, "tasks": tasks, "edges": moved}
        (folder / f"{name}.json").write_text(json.dumps(whole))


main()
