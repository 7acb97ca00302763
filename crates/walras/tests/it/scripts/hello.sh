#!/bin/bash
#SBATCH --job-name=hello
#SBATCH --output=%x-%j.out
#SBATCH --ntasks=1
#SBATCH --time=00:01:00
#SBATCH --mail-type=BEGIN,END,FAIL
#SBATCH --mail-user=ada@example.org

echo "hello from $SLURM_JOB_NAME, job $SLURM_JOB_ID"
