/*
 * fault_mpi.c - the program's calls of MPI.
 *
 * A failing call does the same as in MPI: it calls the communicator's error handler, which ends the
 * job.  Calls that only check for messages are not counted, because their number depends on the
 * time.
 */
#include "fault.h"

#include <mpi.h>

static int fail(MPI_Comm comm)
{
    NEXT(MPI_Comm_call_errhandler)(comm, MPI_ERR_INTERN);
    return MPI_ERR_INTERN;
}

#define CALL(name, comm, parameters, arguments)                                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        int made;                                                                                  \
                                                                                                   \
        if (!strikes(MPI)) {                                                                       \
            return NEXT(name) arguments;                                                           \
        }                                                                                          \
        if (!is_to_end_after()) {                                                                  \
            return fail(comm);                                                                     \
        }                                                                                          \
        made = NEXT(name) arguments;                                                               \
        end_it();                                                                                  \
        return made;                                                                               \
    }

CALL(MPI_Comm_dup, comm, (MPI_Comm comm, MPI_Comm *to), (comm, to))
CALL(MPI_Comm_free, *comm, (MPI_Comm * comm), (comm))
CALL(MPI_Comm_split_type, comm, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *to),
     (comm, type, key, info, to))
CALL(MPI_Bcast, comm, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm),
     (data, n, type, root, comm))
CALL(MPI_Ibcast, comm,
     (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
     (data, n, type, root, comm, request))
CALL(MPI_Allgather, comm,
     (const void *from, int m, MPI_Datatype a, void *to, int n, MPI_Datatype b, MPI_Comm comm),
     (from, m, a, to, n, b, comm))
CALL(MPI_Iallgather, comm,
     (const void *from, int m, MPI_Datatype a, void *to, int n, MPI_Datatype b, MPI_Comm comm,
      MPI_Request *request),
     (from, m, a, to, n, b, comm, request))
CALL(MPI_Allreduce, comm,
     (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (from, to, n, type, op, comm))
CALL(MPI_Iallreduce, comm,
     (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
      MPI_Request *request),
     (from, to, n, type, op, comm, request))
CALL(MPI_Isend, comm,
     (const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
      MPI_Request *request),
     (data, n, type, to, tag, comm, request))
CALL(MPI_Send, comm, (const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm),
     (data, n, type, to, tag, comm))
CALL(MPI_Recv, comm,
     (void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
     (data, n, type, from, tag, comm, status))
