/* The report of `rmat verify` on standard output: one line per check, or one JSON object. */
#ifndef APPS_VERIFY_REPORT_H
#define APPS_VERIFY_REPORT_H

#include "apps/common/message.h"

typedef struct {
    const char *file;
    bool json, quiet; /* quiet: only results that are wrong or failed */
    json_object object, checks;
    int wrong;  /* checks */
    int failed; /* checks that could not be finished */
} verify_report;

void verify_report_begin(verify_report *report, const char *file, bool json, bool quiet);

/* The result of a check, which may report several errors. */
void verify_ok(verify_report *report, const char *check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void verify_wrong(verify_report *report, const char *check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void verify_skipped(verify_report *report, const char *check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The check could not be finished, and its result is unknown. */
void verify_failed(verify_report *report, const char *check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The verdict. */
void verify_report_end(verify_report *report, double seconds);

#endif
