/* The progress bar of a terminal, and the lines that replace it in a log. */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/system.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LINE_SECONDS 5.0
#define BAR_SECONDS  0.15

enum { BAR_MIN = 10, BAR_MAX = 40, TAIL_TEXT = 8 * NUMBER_TEXT };

static int terminal_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* "50.3 M edges/s, 403 MB/s" */
static void print_rate(char *text, size_t size, const progress *p, uint64_t done, double seconds)
{
    char edges[NUMBER_TEXT], bytes[NUMBER_TEXT];
    double rate = seconds > 0 ? (double)done / seconds : 0;

    format_si(edges, rate);
    if (p->edge_bytes > 0) {
        format_bytes(bytes, rate * p->edge_bytes);
        snprintf(text, size, "%s edges/s, %s/s", edges, bytes);
    } else {
        snprintf(text, size, "%s edges/s", edges);
    }
}

/* Redraw the bar, as wide as the terminal leaves room for; never so wide that the line wraps. */
static void draw_bar(double share, const char *tail)
{
    int columns = terminal_width() - 1;
    int room = columns - (int)strlen(tail) - 8;
    int width = room < BAR_MAX ? room : BAR_MAX;
    char line[TAIL_TEXT + BAR_MAX + 16], bar[BAR_MAX + 1];
    int used = snprintf(line, sizeof line, "%3d%% ", (int)(share * 100));

    if (width >= BAR_MIN) {
        int filled = (int)(share * width);

        memset(bar, '=', (size_t)filled);
        memset(bar + filled, ' ', (size_t)(width - filled));
        bar[width] = '\0';
        used += snprintf(line + used, sizeof line - (size_t)used, "[%s] ", bar);
    }
    snprintf(line + used, sizeof line - (size_t)used, "%s", tail);
    fprintf(stderr, "\r\033[K%.*s", columns, line);
}

/* What is being done, and the rate of the edges that are done, as far as there is any of both. */
static void draw_progress(const progress *p, const char *phase, double share, uint64_t done,
                          double now)
{
    double seconds = now - p->start;
    char rate[3 * NUMBER_TEXT], eta[NUMBER_TEXT], tail[TAIL_TEXT];

    print_rate(rate, sizeof rate, p, done, seconds);
    format_duration(eta, share > 0 ? seconds / share * (1 - share) : INFINITY);
    snprintf(tail, sizeof tail, "%.96s%s%s, ETA %s", phase, *phase != '\0' && done > 0 ? ": " : "",
             done > 0 || *phase == '\0' ? rate : "", eta);
    if (p->terminal) {
        draw_bar(share, tail);
    } else {
        fprintf(stderr, "%3d%% %s\n", (int)(share * 100), tail);
    }
    fflush(stderr);
}

void progress_show(progress *p, const char *phase, double share, uint64_t done)
{
    double now = clock_seconds();

    if (p->quiet || now < p->next) {
        return;
    }
    draw_progress(p, phase, share, done, now);
    p->next = now + (p->terminal ? BAR_SECONDS : LINE_SECONDS);
}

void progress_update(progress *p, uint64_t done)
{
    progress_show(p, "", p->edges > 0 ? (double)done / (double)p->edges : 1, done);
}

void progress_start(progress *p, uint64_t edges, double edge_bytes, bool quiet)
{
    const char *type = getenv("TERM");

    p->edges = edges;
    p->edge_bytes = edge_bytes;
    p->quiet = quiet;
    p->terminal = !quiet && isatty(STDERR_FILENO) && type != NULL && strcmp(type, "dumb") != 0;
    p->start = clock_seconds();
    p->next = p->start + (p->terminal ? 0 : LINE_SECONDS);
    if (p->terminal) {
        progress_update(p, 0);
    }
}

void progress_end(progress *p, bool finished)
{
    char edges[NUMBER_TEXT], rate[3 * NUMBER_TEXT];
    double seconds = clock_seconds() - p->start;

    if (p->quiet) {
        return;
    }
    if (p->terminal) {
        fprintf(stderr, "\r\033[K");
    }
    if (finished) {
        print_rate(rate, sizeof rate, p, p->edges, seconds);
        fprintf(stderr, "100%% %s edges in %.2f s, %s\n", format_si(edges, (double)p->edges),
                seconds, rate);
    }
    fflush(stderr);
}
