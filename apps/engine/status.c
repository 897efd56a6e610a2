/* What went wrong in the last call of the engine, kept for each thread. */
#include "apps/engine/status.h"
#include "apps/engine/engine.h"
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char detail[ENGINE_TEXT];
static _Thread_local const char *field = "";
static _Thread_local int stop_reason;
static _Thread_local char warning[ENGINE_TEXT];

int engine_fail(const char *format, ...)
{
    char text[ENGINE_TEXT]; /* an argument may be the detail itself */
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(detail, sizeof detail, "%s", text);
    field = "";
    return ENGINE_ERR_RUN;
}

int engine_refuse(const char *name, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    field = name;
    return ENGINE_ERR_JOB;
}

void engine_set_detail(const char *name, const char *text)
{
    snprintf(detail, sizeof detail, "%s", text);
    field = name;
}

int engine_fail_file(int status)
{
    engine_set_detail(status == EDGEFILE_ERR_EXISTS ? "replace" : "", edgefile_detail());
    return ENGINE_ERR_RUN;
}

int engine_fail_graphfile(int status)
{
    return status == EDGEFILE_ERR_PEER ? engine_fail("%s", "") : engine_fail_file(status);
}

int engine_stop_with(int reason)
{
    engine_set_detail("", "stopped");
    stop_reason = reason;
    return ENGINE_STOPPED;
}

int engine_stop_reason(void)
{
    return stop_reason;
}

void engine_note_warning(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(warning, sizeof warning, format, arguments);
    va_end(arguments);
}

void engine_take_warning(char text[ENGINE_TEXT])
{
    snprintf(text, ENGINE_TEXT, "%s", warning);
    warning[0] = '\0';
}

const char *engine_detail(void)
{
    return detail;
}

const char *engine_field(void)
{
    return field;
}
