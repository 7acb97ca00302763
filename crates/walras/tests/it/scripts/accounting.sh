#!/bin/bash
#SBATCH --account=physics
#SBATCH --partition=short
#SBATCH --qos=high
#SBATCH --time=1
echo "$SLURM_JOB_ACCOUNT $SLURM_JOB_PARTITION $SLURM_JOB_QOS $SLURM_JOB_USER"
