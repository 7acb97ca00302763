#!/bin/sh
#SBATCH --cpus-per-task=4
#SBATCH --mem=2G
#SBATCH --time=1:00
#SBATCH --begin=now
#SBATCH --deadline=now+6hours
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
[ "$SLURM_CPUS_ON_NODE" -ge 1 ] || exit 8
echo "$OMP_NUM_THREADS threads, $SLURM_MEM_PER_NODE MB"
