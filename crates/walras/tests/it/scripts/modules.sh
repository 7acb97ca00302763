#!/bin/bash
#SBATCH --time=00:01:00
#SBATCH --mem-per-cpu=500M

# Where there are no environment modules the system's compiler does.
type module >/dev/null 2>&1 || module() { echo "no module $2"; }
module load gcc/12

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"; echo clean' EXIT
cd "$scratch" || exit 1
for step in 1 2 3; do echo -n " $step" >> log; done
echo "steps:$(cat log)"
