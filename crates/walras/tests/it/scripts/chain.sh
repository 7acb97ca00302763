#!/bin/bash
#SBATCH -J gather
#SBATCH -t 1
echo "all elements are done"
