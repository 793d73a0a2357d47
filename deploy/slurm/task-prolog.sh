#!/bin/bash
# Makes each process that trains with PyTorch a job of the claim that prolog.sh has
# opened. slurmstepd runs it as the job's user before each task, and before the batch
# script, and takes the variables that it prints.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
readonly agent=/run/stowage/agent.sock

[[ -e ${agent%/*}/local-claims/slurm-$SLURM_JOB_ID ]] || exit 0
exec stowage claim env "slurm-$SLURM_JOB_ID" --agent "$agent"
