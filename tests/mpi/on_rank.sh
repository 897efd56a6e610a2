#!/bin/sh
# on_rank.sh RANK SCRIPT COMMAND ARGUMENT...
#
# Runs COMMAND, as a launcher does on every rank, but evaluates SCRIPT first on one rank.  In SCRIPT
# "$@" is the command, so a script can end in  exec unshare ... "$@"
here=${OMPI_COMM_WORLD_RANK-${PMI_RANK-${PMIX_RANK-${SLURM_PROCID-0}}}}
rank=$1
script=$2
shift 2
[ "$here" != "$rank" ] || eval "$script"
exec "$@"
