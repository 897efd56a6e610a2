#!/bin/sh
# on_rank.sh RANK SCRIPT COMMAND ARGUMENT...
#
# COMMAND, which launchers start on every rank, but on one rank SCRIPT is evaluated before.  There
# "$@" is the command: a script that ends in  exec unshare ... "$@"  takes it along.
here=${OMPI_COMM_WORLD_RANK-${PMI_RANK-${PMIX_RANK-${SLURM_PROCID-0}}}}
rank=$1
script=$2
shift 2
[ "$here" != "$rank" ] || eval "$script"
exec "$@"
