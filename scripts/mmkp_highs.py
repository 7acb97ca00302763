#!/usr/bin/env python3
"""What HiGHS makes of multiple-choice knapsacks with several limits, beside the example `mmkp` of walras-core.

    python3 -m venv venv && venv/bin/pip install highspy
    venv/bin/python scripts/mmkp_highs.py SECONDS FILE...

One thread, so that seconds are processor time where the machine is free. Prints value and bound of each file.
"""

import sys

import highspy


def read(path):
    words = iter(open(path, encoding="ascii").read().split())
    number = lambda: int(float(next(words)))
    classes, limits = number(), number()
    rooms = [number() for _ in range(limits)]
    table = []
    for _ in range(classes):
        items = number()
        table.append([(number(), [number() for _ in range(limits)]) for _ in range(items)])
    return rooms, table


def solve(path, seconds):
    rooms, table = read(path)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("time_limit", seconds)
    highs.setOptionValue("mip_rel_gap", 0.0)
    rows = [[] for _ in rooms]
    column = 0
    for items in table:
        begin = column
        for value, takes in items:
            highs.addCol(float(value), 0.0, 1.0, 0, [], [])
            highs.changeColIntegrality(column, highspy.HighsVarType.kInteger)
            for row, take in zip(rows, takes):
                if take:
                    row.append((column, float(take)))
            column += 1
        highs.addRow(1.0, 1.0, column - begin, list(range(begin, column)), [1.0] * (column - begin))
    for room, row in zip(rooms, rows):
        highs.addRow(-highspy.kHighsInf, float(room), len(row), [at for at, _ in row], [take for _, take in row])
    highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
    highs.run()
    info = highs.getInfo()
    found = info.primal_solution_status == 2
    value = f"{info.objective_function_value:.0f}" if found else "none"
    return f"value {value} bound {info.mip_dual_bound:.3f}"


for name in sys.argv[2:]:
    print(f"{name}: {solve(name, float(sys.argv[1]))}", flush=True)
