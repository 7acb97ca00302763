#!/usr/bin/env python3
"""Task schedules by CP-SAT, to hold ours and our bounds against: python3 scripts/cp_sat.py SECONDS FILE...

Needs `pip install ortools`. The files are those that `cargo run --release -p walras-api --example heft -- DIR UNITS FOLDER` writes.
Prints for every file: tasks, our bound, what CP-SAT proves that nothing can beat, its best makespan, ours, and the seconds of
processor time it took, of which it has so many.
"""

import sys
import threading
import time
from pathlib import Path

from ortools.sat.python import cp_model


def read(path):
    numbers = iter(int(word) for word in Path(path).read_text().split())
    tasks, nodes, edges, ours, bound = (next(numbers) for _ in range(5))
    site = [next(numbers) for _ in range(nodes)]
    length = [[next(numbers) for _ in range(nodes)] for _ in range(tasks)]
    edge = [tuple(next(numbers) for _ in range(4)) for _ in range(edges)]
    return site, length, edge, ours, bound


def solve(site, length, edges, ours, seconds):
    model, nodes, tasks = cp_model.CpModel(), range(len(site)), range(len(length))
    start = [model.new_int_var(0, ours, f"s{t}") for t in tasks]
    end = [model.new_int_var(0, ours, f"e{t}") for t in tasks]
    on = [[model.new_bool_var(f"x{t},{n}") for n in nodes] for t in tasks]
    for t in tasks:
        model.add_exactly_one(on[t])
        model.add(end[t] == start[t] + sum(length[t][n] * on[t][n] for n in nodes))
    for n in nodes:
        model.add_no_overlap(
            [
                model.new_optional_interval_var(start[t], length[t][n], end[t], on[t][n], f"i{t},{n}")
                for t in tasks
                if length[t][n] > 0
            ]
        )
    for a, b, near, far in edges:
        if near == far == 0:
            model.add(start[b] >= end[a])
            continue
        same_node = model.new_bool_var("")
        for n in nodes:
            model.add_implication(same_node, on[a][n]).only_enforce_if(on[b][n])
            model.add_implication(same_node, on[b][n]).only_enforce_if(on[a][n])
        same_site = same_node
        if near != far:
            same_site = model.new_bool_var("")
            model.add_implication(same_node, same_site)
            for s in sorted(set(site)):
                here = [n for n in nodes if site[n] == s]
                for n in here:
                    model.add_bool_or([on[b][k] for k in here]).only_enforce_if([same_site, on[a][n]])
            model.add(start[b] >= end[a] + far).only_enforce_if(~same_site)
        model.add(start[b] >= end[a] + near).only_enforce_if(~same_node)
        model.add(start[b] >= end[a])
    last = model.new_int_var(0, ours, "last")
    model.add_max_equality(last, end)
    model.minimize(last)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # With it, version 9.15 calls an end impossible that a schedule has which satisfies this very model.
    solver.parameters.cp_model_presolve = False
    began, ended = time.process_time(), threading.Event()

    def watch():
        while not ended.wait(0.1):
            if time.process_time() - began > seconds:
                solver.stop_search()

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = solver.solve(model)
    took = time.process_time() - began
    ended.set()
    watcher.join()
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return int(solver.best_objective_bound), int(solver.objective_value) if found else None, took


def main():
    seconds = float(sys.argv[1])
    for path in sys.argv[2:]:
        site, length, edges, ours, bound = read(path)
        proven, best, took = solve(site, length, edges, ours, seconds)
        print(Path(path).stem, len(length), bound, proven, best, ours, f"{took:.1f}", flush=True)


main()
