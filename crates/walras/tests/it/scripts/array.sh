#!/bin/bash
#SBATCH --job-name=many
#SBATCH --array=2-6:2%2
#SBATCH --time=00:01:00
#SBATCH --output=%x-%A-%a.out
echo "element $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_JOB_ID: $SLURM_ARRAY_TASK_COUNT elements from $SLURM_ARRAY_TASK_MIN to $SLURM_ARRAY_TASK_MAX"
