/*
 * try.h - error handling inside rmat/.
 *
 * A function that can fail keeps its status in `int st` and cleans up behind the label `done`, from
 * which it returns st.
 */
#ifndef RMAT_TRY_H
#define RMAT_TRY_H

/* Evaluates a status; unless it is 0, leaves the function by way of `done`. */
#define RMAT_TRY(status)                                                                           \
    do {                                                                                           \
        st = (status);                                                                             \
        if (st != 0) {                                                                             \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* The same for a call of the CUDA runtime, whose error rmat_gpu_error() describes; requires
 * rmat_gpu.h. */
#define RMAT_TRY_CUDA(call) RMAT_TRY(rmat_gpu_status(call))

#endif
