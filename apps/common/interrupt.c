/* SIGINT, SIGTERM and SIGHUP as a request that the program asks for when it suits it. */
#include "apps/common/interrupt.h"
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int received;

static void remember(int signal_number)
{
    atomic_store(&received, signal_number);
}

/* A signal that whoever started us ignores (nohup, background jobs) stays ignored. */
static void install(int signal_number)
{
    struct sigaction before, action = {.sa_handler = remember, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(signal_number, &action, NULL);
    }
}

void interrupt_install(void)
{
    install(SIGINT);
    install(SIGTERM);
    install(SIGHUP);
}

const char *interrupt_name(int signal_number)
{
    return signal_number == SIGINT ? "SIGINT" : signal_number == SIGHUP ? "SIGHUP" : "SIGTERM";
}

int interrupt_signal(void)
{
    return atomic_load(&received);
}
