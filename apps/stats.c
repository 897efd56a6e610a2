#include "apps/commands.h"
#include "apps/message.h"

typedef struct {
    bool help;
} stats_values;

static const option table[] = {
    {.name = "help",
     .letter = 'h',
     .kind = OPTION_FLAG,
     .offset = offsetof(stats_values, help),
     .group = "Options",
     .help = "this text"},
};

const command_line stats_command_line = {
    .command = "stats",
    .synopsis = "stats FILE [OPTION]...",
    .summary = "",
    .operand = "FILE",
    .options = table,
    .n_options = 1,
};

int stats_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return runtime_error("stats", "not there yet");
}
