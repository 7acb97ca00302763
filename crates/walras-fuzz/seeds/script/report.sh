#!/bin/sh
#SBATCH --job-name=report
#SBATCH --ntasks=1
#SBATCH --time=00:00:05
#SBATCH --mail-type=END
#WALRAS budget 5
#WALRAS sites [here]
#WALRAS performance_min 0.5
echo "hello, ${1:-world}: this machine has $(nproc) processors"
