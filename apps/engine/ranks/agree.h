/* What the ranks of one `rmat generate` agree on.  A lone process is one rank.  All is collective;
 * message_keep() comes before. */
#ifndef APPS_ENGINE_RANKS_AGREE_H
#define APPS_ENGINE_RANKS_AGREE_H

#include "apps/generate/generate.h"

/*
 * Each rank gives an exit code.  Returns EXIT_OK if all gave that; else the code of the lowest rank
 * that did not, whose kept message rank 0 prints.  Ranks that stop because of another's failure
 * give EXIT_OK.
 */
int generate_agree(int status);

/* Print the kept warning of the lowest rank that has one. */
void generate_warn(void);

/* Were all ranks started for the same file?  EXIT_OK, or EXIT_USAGE after a message. */
int generate_same_job(const generate_options *options, const char *command);

#endif
