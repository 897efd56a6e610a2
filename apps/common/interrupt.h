/* Signals that ask a program to stop (SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM):
 * they end it at once before its work begins, and are a flag that long work looks at from then on.
 * One that the program was started to ignore stays ignored. */
#ifndef APPS_COMMON_INTERRUPT_H
#define APPS_COMMON_INTERRUPT_H

/* To be called first in main(): from now on such a signal ends the program with exit status 128 +
 * its number, after a line that begins with "rmat COMMAND: ", or with "rmat: " if it is "". */
void interrupt_begin(const char *command);

/* From now on a signal ends the program without a line: what went wrong has been said, and a
 * launcher ends the ranks that are left when the first one is gone. */
void interrupt_silence(void);

/* To be called before there is anything to clean up: from now on it is a flag. */
void interrupt_install(void);

/* 0, or the signal that asked to stop.  Any thread. */
int interrupt_signal(void);

/* "SIGINT" and so on. */
const char *interrupt_name(int signal_number);

#endif
