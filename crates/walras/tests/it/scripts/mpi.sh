#!/bin/bash
#SBATCH -J exchange
#SBATCH -N 2
#SBATCH --ntasks-per-node=2
#SBATCH -t 1
#SBATCH --constraint="ib"
#SBATCH --exclusive
nodes=$(echo "$SLURM_JOB_NODELIST" | tr ',' '\n' | wc -l)
[ "$nodes" -eq "$SLURM_JOB_NUM_NODES" ] || exit 9
first=""
if [ "$SLURM_PROCID" -eq 0 ]; then first=": first"; fi
echo "rank $SLURM_PROCID of $SLURM_NNODES nodes, $SLURM_NTASKS tasks$first"
