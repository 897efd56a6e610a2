/* SIGINT, SIGTERM and SIGHUP become a flag that long work looks at. */
#ifndef APPS_COMMON_INTERRUPT_H
#define APPS_COMMON_INTERRUPT_H

/* From now on. */
void interrupt_install(void);

/* 0, or the signal that asked to stop.  Any thread. */
int interrupt_signal(void);

/* "SIGINT", "SIGTERM" or "SIGHUP". */
const char *interrupt_name(int signal_number);

#endif
