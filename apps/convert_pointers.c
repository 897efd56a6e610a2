/* Row pointers, after all edges are written. */
#include "apps/convert.h"
#include "apps/message.h"

int convert_write_pointers(edge_source *source, graphfile_writer *writer,
                           const convert_options *options, progress *bar)
{
    (void)source;
    (void)writer;
    (void)bar;
    return runtime_error(options->command, "row pointers are not written yet");
}
