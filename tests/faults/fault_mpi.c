/*
 * fault_mpi.c - the calls of MPI, of the program and of the HDF5 within it.
 *
 * One that fails does what MPI does then: it calls the communicator's error handler.  Those that
 * only ask whether something has come are not counted: how often they are made depends on the time.
 */
#include "fault.h"

#include <mpi.h>

static MPI_Comm world; /* by this name MPI would have to be there, which the launcher lacks */

EXPORT int MPI_Comm_size(MPI_Comm comm, int *size)
{
    if (world == NULL) { /* the program's first question */
        world = comm;
    }
    return NEXT(MPI_Comm_size)(comm, size);
}

static int fail(MPI_Comm comm)
{
    NEXT(MPI_Comm_call_errhandler)(comm, MPI_ERR_INTERN);
    return MPI_ERR_INTERN;
}

#define WRAP(name, failed, parameters, arguments)                                                  \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        int made;                                                                                  \
                                                                                                   \
        if (!strikes(MPI)) {                                                                       \
            return NEXT(name) arguments;                                                           \
        }                                                                                          \
        if (!is_to_end_after()) {                                                                  \
            return failed;                                                                         \
        }                                                                                          \
        made = NEXT(name) arguments;                                                               \
        end_it();                                                                                  \
        return made;                                                                               \
    }

/* Those without a communicator call the handler of the world. */
#define CALL(name, comm, parameters, arguments) WRAP(name, fail(comm), parameters, arguments)

/* Files have no handler, unless the program gives them one. */
#define FILE_CALL(name, parameters, arguments) WRAP(name, MPI_ERR_IO, parameters, arguments)

CALL(MPI_Comm_dup, comm, (MPI_Comm comm, MPI_Comm *to), (comm, to))
CALL(MPI_Comm_free, *comm, (MPI_Comm * comm), (comm))
CALL(MPI_Comm_split_type, comm, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *to),
     (comm, type, key, info, to))
CALL(MPI_Barrier, comm, (MPI_Comm comm), (comm))
CALL(MPI_Bcast, comm, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm),
     (data, n, type, root, comm))
CALL(MPI_Ibcast, comm,
     (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
     (data, n, type, root, comm, request))
CALL(MPI_Gather, comm,
     (const void *from, int m, MPI_Datatype a, void *to, int n, MPI_Datatype b, int root,
      MPI_Comm comm),
     (from, m, a, to, n, b, root, comm))
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
CALL(MPI_Recv, comm,
     (void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
     (data, n, type, from, tag, comm, status))
CALL(MPI_Wait, world, (MPI_Request * request, MPI_Status *status), (request, status))
CALL(MPI_Type_commit, world, (MPI_Datatype * type), (type))
CALL(MPI_Type_free, world, (MPI_Datatype * type), (type))
CALL(MPI_Type_contiguous, world, (int n, MPI_Datatype type, MPI_Datatype *to), (n, type, to))
CALL(MPI_Type_create_resized, world,
     (MPI_Datatype type, MPI_Aint low, MPI_Aint extent, MPI_Datatype *to), (type, low, extent, to))

FILE_CALL(MPI_File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
          (comm, name, mode, info, file))
FILE_CALL(MPI_File_close, (MPI_File * file), (file))
FILE_CALL(MPI_File_sync, (MPI_File file), (file))
FILE_CALL(MPI_File_set_size, (MPI_File file, MPI_Offset bytes), (file, bytes))
FILE_CALL(MPI_File_get_size, (MPI_File file, MPI_Offset *bytes), (file, bytes))
FILE_CALL(MPI_File_set_view,
          (MPI_File file, MPI_Offset at, MPI_Datatype a, MPI_Datatype b, const char *how,
           MPI_Info info),
          (file, at, a, b, how, info))
FILE_CALL(MPI_File_read_at,
          (MPI_File file, MPI_Offset at, void *data, int n, MPI_Datatype type, MPI_Status *status),
          (file, at, data, n, type, status))
FILE_CALL(MPI_File_write_at,
          (MPI_File file, MPI_Offset at, const void *data, int n, MPI_Datatype type,
           MPI_Status *status),
          (file, at, data, n, type, status))
FILE_CALL(MPI_File_write_at_all,
          (MPI_File file, MPI_Offset at, const void *data, int n, MPI_Datatype type,
           MPI_Status *status),
          (file, at, data, n, type, status))
