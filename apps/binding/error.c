/* binding_error(): the text of a status, of whichever library it is. */
#include "alias/alias_gpu.h"
#include "apps/binding/graph.h"
#include "apps/binding/private.h"
#include "rmat/rmat_gpu.h"
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char text[8192];

int binding_fail(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return status;
}

/* A failure of CUDA is explained by CUDA. */
static void explain(const char *what, const char *cuda)
{
    snprintf(text, sizeof text, "%s%s%s", what, cuda[0] == '\0' ? "" : ": ", cuda);
}

const char *binding_error(int status)
{
    if (status == BINDING_ERR_NOMEM) {
        return "out of memory";
    }
    if (status <= RMAT_ERR_ARG && status > RMAT_ERR_ARG - 100) {
        explain(rmat_strerror(status), status == RMAT_ERR_CUDA ? rmat_gpu_error() : "");
    } else if (status <= ALIAS_ERR_ARG && status > ALIAS_ERR_ARG - 100) {
        explain(alias_strerror(status), status == ALIAS_ERR_CUDA ? alias_gpu_error() : "");
    }
    return text;
}
