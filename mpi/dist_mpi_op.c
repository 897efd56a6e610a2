/* Collective operations of any size: in pieces, since MPI's counts are ints. */
#include "mpi/dist_star.h"

size_t dist_mpi_piece = (size_t)1 << 30;

static struct {
    dist_op *op;
    size_t at, piece; /* of op->count: done, and under way */
    MPI_Request request;
    MPI_Datatype whole, strided; /* of DIST_GATHER: a piece, and one of each rank's */
} now = {.request = MPI_REQUEST_NULL};

static size_t element(const dist_op *op)
{
    return op->kind == DIST_SUM || op->kind == DIST_MIN ? sizeof(uint64_t) : 1;
}

static void begin_piece(void)
{
    dist_op *op = now.op;
    MPI_Comm comm = dist_mpi.collectives;
    char *data = op->data;
    size_t rest = op->count - now.at, most = dist_mpi_piece / element(op);
    int count;

    now.piece = rest < most ? rest : most;
    count = (int)now.piece;
    data += now.at * element(op);
    switch (op->kind) {
    case DIST_BROADCAST:
        MPI_Ibcast(data, count, MPI_BYTE, op->root, comm, &now.request);
        break;
    case DIST_SUM:
    case DIST_MIN:
        MPI_Iallreduce(MPI_IN_PLACE, data, count, MPI_UINT64_T,
                       op->kind == DIST_SUM ? MPI_SUM : MPI_MIN, comm, &now.request);
        break;
    case DIST_GATHER:
        MPI_Type_contiguous(count, MPI_BYTE, &now.whole);
        MPI_Type_create_resized(now.whole, 0, (MPI_Aint)op->count, &now.strided);
        MPI_Type_commit(&now.strided);
        MPI_Iallgather((const char *)op->mine + now.at, count, MPI_BYTE, data, 1, now.strided, comm,
                       &now.request);
        break;
    }
}

void dist_mpi_op_begin(dist_op *op)
{
    now.op = op;
    now.at = 0;
    if (op->count > 0) {
        begin_piece();
    }
}

bool dist_mpi_op_turn(void)
{
    int complete;

    if (now.op->count == 0) {
        return true;
    }
    MPI_Test(&now.request, &complete, MPI_STATUS_IGNORE);
    if (!complete) {
        return false;
    }
    if (now.op->kind == DIST_GATHER) {
        MPI_Type_free(&now.strided);
        MPI_Type_free(&now.whole);
    }
    now.at += now.piece;
    if (now.at == now.op->count) {
        return true;
    }
    begin_piece();
    return false;
}
