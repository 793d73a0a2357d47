#!/bin/bash
# Opens a claim with this node's agent for a job that has the generic resources
# stowage_fast and stowage_slow. slurmd runs it as root, once on each node of a job.
#
# What a job has to put right cancels the job, with a comment. For all else the
# script fails: Slurm then drains the node and holds the job, and the log of slurmd
# has what is printed here.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
readonly agent=/run/stowage/agent.sock

cancel() {
  scontrol update "JobId=$SLURM_JOB_ID" "Comment=stowage: $1"
  scancel "$SLURM_JOB_ID"
  exit 0
}

# Prints the bytes of a count as Slurm reads it: 40M and 40MiB are 40 * 2^20, and
# 40MB is 40 * 10^6. Fails if it is none.
bytes_of() {
  [[ ${1^^} =~ ^([0-9]{1,18})([KMGTP]?)(I?B)?$ ]] || return 1
  local unit=1024 letters=KMGTP power=0
  [[ ${BASH_REMATCH[3]} != B ]] || unit=1000
  if [[ -n ${BASH_REMATCH[2]} ]]; then
    letters=${letters%%"${BASH_REMATCH[2]}"*}
    power=$((${#letters} + 1))
  fi
  echo $((10#${BASH_REMATCH[1]} * unit ** power))
}

# Prints how much of the generic resource $1 there is in $2, a list like
# "gres:stowage_fast:40M,gres:gpu:1"; nothing if there is none of it.
count_of() {
  local entry entries found=
  IFS=, read -r -a entries <<<"$2"
  for entry in ${entries[@]+"${entries[@]}"}; do
    entry=${entry#gres:}
    [[ $entry == "$1" || $entry == "$1":* ]] || continue
    [[ -z $found ]] || return 1
    entry=${entry#"$1"}
    found=$(bytes_of "${entry:1}") || return 1
  done
  [[ ${found:-0} == 0 ]] || echo "$found"
}

# Of all that Slurm tells, this alone has no text that the user chose: names and
# comments of jobs may have lines that look like generic resources. An array is
# listed with all of its jobs, of which each has an id.
listed=$(squeue --noheader --jobs="$SLURM_JOB_ID" --states=all --format='%A %b')
gres=$(awk -v id="$SLURM_JOB_ID" '$1 == id { print $2 }' <<<"$listed")
if [[ -z $gres ]]; then
  echo "squeue does not list job $SLURM_JOB_ID" >&2
  exit 1
fi

fast=$(count_of stowage_fast "$gres") && slow=$(count_of stowage_slow "$gres") ||
  cancel "name stowage_fast and stowage_slow once each, with an amount such as 8G"
[[ -n $fast$slow ]] || exit 0
[[ -n $fast && -n $slow ]] ||
  cancel "a job needs both: --gres=stowage_fast:8G,stowage_slow:64G"

stowage claim open "slurm-$SLURM_JOB_ID" --agent "$agent" --fast "$fast" \
  --slow "$slow" --user "$SLURM_JOB_UID" >/dev/null
