/* el.c - el, wel and tsv: text with an edge per line and nothing else. */
#include "io/formats/writer.h"

static int encode_blank(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return graphfile_put_lines(w, p, b, ' ', w->spec.base);
}

static int encode_tab(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return graphfile_put_lines(w, p, b, '\t', w->spec.base);
}

static const graphfile_write_ops write_blank = {.encode = encode_blank},
                                 write_tab = {.encode = encode_tab};

enum { TRAITS = GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_BASE };

const graphfile_descriptor graphfile_el_format = {
    .facts = {"el", ".el", "text, 'src dst' (GAPBS, SNAP)", TRAITS},
    .write = &write_blank,
    .line_bytes = 2,
};

const graphfile_descriptor graphfile_wel_format = {
    .facts = {"wel", ".wel", "text, 'src dst weight' (GAPBS)", TRAITS | GRAPHFILE_MUST_WEIGHTS},
    .write = &write_blank,
    .line_bytes = 2,
};

const graphfile_descriptor graphfile_tsv_format = {
    .facts = {"tsv", ".tsv", "text separated by tabs, 'src dst' or 'src dst weight' (SNAP)",
              TRAITS | GRAPHFILE_HAS_WEIGHTS},
    .write = &write_tab,
    .line_bytes = 2,
};
