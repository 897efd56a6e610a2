/*
 * The picture of a fit, by gnuplot: for each kind of degree the share of vertices of degree k or
 * more, of the graph and of both models, and below it by which factor the models are off.
 */
#include "apps/fit/picture.h"
#include "apps/common/message.h"
#include "apps/plot/plot.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *suffix, *terminal;
} kinds[] = {
    {".png", "pngcairo size 1200,720 font \"DejaVu Sans,11\" background \"white\""},
    {".svg", "svg size 1200,720 font \"DejaVu Sans,13\" background \"white\""},
    {".pdf", "pdfcairo size 16.6in,10in font \"DejaVu Sans,11\" linewidth 2 background \"white\""}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

int fit_picture_open(fit_picture *p, const char *name, bool force, const char *input)
{
    const size_t length = name != NULL ? strlen(name) : 0;
    int status;

    *p = (fit_picture){.terminal = NULL};
    if (name == NULL) {
        return EXIT_OK;
    }
    for (int i = 0; i < KINDS; i++) {
        if (length > 4 && strcmp(name + length - 4, kinds[i].suffix) == 0) {
            p->terminal = kinds[i].terminal;
        }
    }
    if (p->terminal == NULL) {
        return usage_error(
            "fit",
            "--plot: '%s' is not the name of a picture, allowed: a name that ends with "
            ".png, .svg or .pdf",
            name);
    }
    message_command("fit");
    status = plot_gnuplot_find();
    return status == EXIT_OK ? whole_file_open(&p->file, "fit", "plot", name, force, input)
                             : status;
}

static int draw(const fit_picture *p, const fit_report *report)
{
    FILE *script = tmpfile();
    char *picture;
    size_t bytes;
    int status;

    if (script == NULL) {
        return runtime_error("fit", "a temporary file cannot be written");
    }
    fit_script(script, report, p->terminal);
    status = plot_gnuplot_run(script, &picture, &bytes);
    fclose(script);
    if (status == EXIT_OK) {
        fwrite(picture, 1, bytes, p->file.stream);
        free(picture);
    }
    return status;
}

int fit_picture_close(fit_picture *p, const fit_report *report, int status)
{
    if (p->terminal == NULL) {
        return status;
    }
    if (status == EXIT_OK) {
        status = draw(p, report);
    }
    return whole_file_close(&p->file, status);
}
