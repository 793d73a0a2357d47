#!/bin/bash
# Closes the claim that prolog.sh has opened for a job, if it has. slurmd runs it as
# root on each node of a job, however the job ends. If it fails, Slurm drains the node.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
readonly agent=/run/stowage/agent.sock

# A job without a claim needs no agent.
[[ -e ${agent%/*}/local-claims/slurm-$SLURM_JOB_ID ]] || exit 0
exec stowage claim close "slurm-$SLURM_JOB_ID" --agent "$agent"
