#include "apps/commands.h"
#include "apps/message.h"

typedef struct {
    bool help;
} plot_values;

static const option table[] = {
    {.name = "help",
     .letter = 'h',
     .kind = OPTION_FLAG,
     .offset = offsetof(plot_values, help),
     .group = "Options",
     .help = "this text"},
};

const command_line plot_command_line = {
    .command = "plot",
    .synopsis = "plot FILE [OPTION]...",
    .summary = "",
    .operand = "FILE",
    .options = table,
    .n_options = 1,
};

int plot_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return runtime_error("plot", "not there yet");
}
