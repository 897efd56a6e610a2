/*
 * interrupt.c - signals that ask a program to stop.
 *
 * They are those that a user, a batch system or a limit sends to a program that is to end; Slurm
 * sends SIGUSR1 or SIGUSR2 where it is told to, before a job's time is over.  As long as there is
 * nothing to clean up, their handler prints a line and ends the program.  From interrupt_install()
 * on it stores the number of the signal, and long work looks at it.
 */
#include "apps/common/interrupt.h"
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"},
               {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"},
               {SIGALRM, "SIGALRM"}};

enum { N_SIGNALS = sizeof signals / sizeof signals[0], PREFIX = 64, LINE = PREFIX + 32 };

static char prefix[PREFIX]; /* of the line; "": interrupt_begin() was not called */
static atomic_int received;
static atomic_bool working, silent;

const char *interrupt_name(int signal_number)
{
    for (int i = 0; i < N_SIGNALS; i++) {
        if (signals[i].number == signal_number) {
            return signals[i].name;
        }
    }
    return "a signal";
}

/* Only calls that a signal handler may make. */
static void end_program(int signal_number)
{
    char line[LINE];
    const char *end = stpcpy(stpcpy(stpcpy(line, prefix), interrupt_name(signal_number)), "\n");
    const ssize_t written =
        atomic_load(&silent) ? 0 : write(STDERR_FILENO, line, (size_t)(end - line));

    (void)written;
    _exit(128 + signal_number);
}

static void handle_stop_signal(int signal_number)
{
    if (!atomic_load(&working)) {
        end_program(signal_number);
    }
    atomic_store(&received, signal_number);
}

/* A signal that was ignored when the program started (nohup, background jobs) stays ignored. */
static void install_handlers(void)
{
    struct sigaction before, action = {.sa_handler = handle_stop_signal, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_SIGNALS; i++) {
        if (sigaction(signals[i].number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i].number, &action, NULL);
        }
    }
}

void interrupt_begin(const char *command)
{
    snprintf(prefix, sizeof prefix, "rmat%s%s: stopped by ", *command != '\0' ? " " : "", command);
    install_handlers();
}

void interrupt_silence(void)
{
    atomic_store(&silent, true);
}

void interrupt_install(void)
{
    atomic_store(&working, true);
    install_handlers();
}

int interrupt_signal(void)
{
    return atomic_load(&received);
}
