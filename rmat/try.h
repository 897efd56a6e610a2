/*
 * try.h - macros that leave functions of rmat/ on errors.
 *
 * A function that holds nothing returns: RMAT_OR_RETURN(). A function that holds something keeps
 * its status in `int st` and jumps to its label `done` with RMAT_TRY(). There it releases what
 * exists and returns st.
 */
#ifndef RMAT_TRY_H
#define RMAT_TRY_H

/* Evaluates a status; unless it is 0, returns it. */
#define RMAT_OR_RETURN(status)                                                                     \
    do {                                                                                           \
        const int status_ = (status);                                                              \
        if (status_ != 0) {                                                                        \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

/* Evaluates a status; unless it is 0, jumps to `done`. */
#define RMAT_TRY(status)                                                                           \
    do {                                                                                           \
        st = (status);                                                                             \
        if (st != 0) {                                                                             \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* The same for a call of the CUDA runtime, whose error rmat_gpu_error() describes; requires
 * rmat_gpu.h. */
#define RMAT_CUDA_OR_RETURN(call) RMAT_OR_RETURN(rmat_gpu_status(call))
#define RMAT_TRY_CUDA(call)       RMAT_TRY(rmat_gpu_status(call))

#endif
