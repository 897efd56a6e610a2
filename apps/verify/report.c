/* rmat verify: the report, as lines of text or as one JSON object. */
#include "apps/verify/report.h"
#include "apps/common/message.h"
#include <stdarg.h>
#include <string.h>

enum { LINE = 4096 };

void verify_report_begin(verify_report *report, const char *file, bool json, bool quiet)
{
    *report = (verify_report){.file = file, .json = json, .quiet = quiet};
    if (json) {
        json_begin(&report->object, stdout);
        json_string(&report->object, "file", file);
        json_array_begin(&report->checks, &report->object, "checks");
    }
}

static void print_line(const char *check, const char *result, const char *text)
{
    text_line(stdout, "%-12s %s%s%s", check, result, *text != '\0' ? ": " : "", text);
}

static void print_json(verify_report *report, const char *check, const char *result,
                       const char *text)
{
    json_object one;

    json_object_begin(&one, &report->checks, NULL);
    json_string(&one, "check", check);
    json_string(&one, "result", result);
    json_string(&one, "text", text);
    json_object_end(&one);
}

static void say(verify_report *report, const char *check, const char *result, const char *format,
                va_list arguments)
{
    char text[LINE];

    vsnprintf(text, sizeof text, format, arguments);
    if (report->json) {
        print_json(report, check, result, text);
    } else if (!report->quiet || strcmp(result, "wrong") == 0 || strcmp(result, "failed") == 0) {
        print_line(check, result, text);
    }
}

void verify_ok(verify_report *report, const char *check, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(report, check, "ok", format, arguments);
    va_end(arguments);
}

void verify_wrong(verify_report *report, const char *check, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(report, check, "wrong", format, arguments);
    va_end(arguments);
    report->wrong++;
}

void verify_skipped(verify_report *report, const char *check, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(report, check, "skipped", format, arguments);
    va_end(arguments);
}

void verify_failed(verify_report *report, const char *check, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(report, check, "failed", format, arguments);
    va_end(arguments);
    report->failed++;
}

void verify_report_end(verify_report *report, double seconds)
{
    const char *verdict = report->wrong > 0    ? "WRONG"
                          : report->failed > 0 ? "not checked"
                                               : "all right";

    if (report->json) {
        json_array_end(&report->checks);
        json_string(&report->object, "verdict", verdict);
        json_bool(&report->object, "ok", report->wrong + report->failed == 0);
        json_f64(&report->object, "seconds", seconds);
        json_end(&report->object);
    } else if (!report->quiet || report->wrong + report->failed > 0) {
        print_line("verdict", verdict, report->file);
    }
}
