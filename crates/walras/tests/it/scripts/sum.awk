#!/usr/bin/awk -f
#SBATCH --job-name=sum
#SBATCH --time=1
BEGIN { for (i = 1; i <= 100; i++) sum += i; print sum }
