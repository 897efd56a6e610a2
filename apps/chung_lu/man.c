/* chung_lu --man: its page. */
#include "apps/common/man.h"
#include "apps/chung_lu/chung_lu.h"
#include <stdio.h>

void chung_lu_man(void)
{
    man_begin(stdout, "chung_lu", "generate Chung-Lu graphs, whose degrees are given");
    man_section(stdout, "SYNOPSIS", "");
    man_synopsis(stdout, &chung_lu_command_line, true);
    man_section(stdout, "DESCRIPTION", "");
    man_options(stdout, &chung_lu_command_line);
    man_section(stdout, "EXAMPLES", "Each makes graph.h5 in the current folder.");
    man_example(stdout, "Degrees from a file, the first line that of vertex 0:",
                "chung_lu --degrees degrees.txt");
    man_example(stdout, "A power law on a million vertices, 16 edges to a vertex on average:",
                "chung_lu --power-law 2.2 --vertices 1M --average-degree 32");
    man_example(stdout, "Ten times as many vertices and edges as a graph has, of the same degrees:",
                "chung_lu --like list.tsv --multiply 10");
    man_section(stdout, "SEE ALSO", "rmat(1), h5dump(1)");
}
