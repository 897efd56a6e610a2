/* Rows of results: JSON, a line on stderr, and the figures that the report finds again. */
#include "apps/bench_alias/gpu.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *gpu_number(char text[24], uint64_t n)
{
    uint64_t digit = n;
    int zeros = 0;

    for (; digit >= 10 && digit % 10 == 0; digit /= 10) {
        zeros++;
    }
    if (digit < 10 && zeros > 2) {
        snprintf(text, 24, "%llue%d", (unsigned long long)digit, zeros);
    } else {
        snprintf(text, 24, "%llu", (unsigned long long)n);
    }
    return text;
}

void gpu_row_begin(gpu_bench *b)
{
    fprintf(b->json, "%s\n  ", b->rows++ > 0 ? "," : "");
    json_begin(&b->row, b->json);
    json_string(&b->row, "name", b->name);
}

void gpu_row_stats(gpu_bench *b, const char *key, bench_stats s)
{
    json_key(&b->row, key);
    fprintf(b->json, "{\"min\": %.6g, \"median\": %.6g, \"max\": %.6g}", s.min, s.median, s.max);
}

void gpu_remember(gpu_bench *b, double value)
{
    gpu_figure *more = realloc(b->figures, (b->n_figures + 1) * sizeof(*more));

    if (more != NULL) { /* else the report lacks a figure, which the JSON has */
        b->figures = more;
        more += b->n_figures++;
        memcpy(more->name, b->name, sizeof(more->name));
        more->value = value;
    }
}

void gpu_row_time(gpu_bench *b, bench_stats ms, double items, bool rate)
{
    double per_second = 1e3 * items / ms.median;

    gpu_row_stats(b, "ms", ms);
    json_f64(&b->row, "per_second", per_second);
    fprintf(stderr, "%-52s %10.4f ms (%.4f - %.4f) %9.3f G/s\n", b->name, ms.median, ms.min, ms.max,
            1e-9 * per_second);
    gpu_remember(b, rate ? per_second : ms.median);
}

void gpu_row_check(gpu_bench *b, const char *what, bool right)
{
    json_string(&b->row, "check", what);
    json_bool(&b->row, "right", right);
    if (!right) {
        b->wrong++;
        fprintf(stderr, "bench_alias: %s: WRONG: not so: %s\n", b->name, what);
    }
}

void gpu_row_end(gpu_bench *b)
{
    json_end(&b->row);
    fflush(b->json);
}

double gpu_recall(const gpu_bench *b, const char *format, ...)
{
    char name[80];
    va_list args;

    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    for (unsigned i = 0; i < b->n_figures; i++) {
        if (strcmp(b->figures[i].name, name) == 0) {
            return b->figures[i].value;
        }
    }
    return 0;
}
