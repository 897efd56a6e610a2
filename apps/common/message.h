/* One-line messages on stderr, and the exit codes of every command. */
#ifndef APPS_COMMON_MESSAGE_H
#define APPS_COMMON_MESSAGE_H

enum { EXIT_OK = 0, EXIT_RUNTIME = 1, EXIT_USAGE = 2, MESSAGE_TEXT = 8192 };

/* Print "rmat COMMAND: ..." as exactly one line (control characters from user input become '?') and
 * return EXIT_USAGE or EXIT_RUNTIME.  command "" prints "rmat: ...". */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
int runtime_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Another executable's name in place of "rmat", from now on.  Borrowed. */
void message_program(const char *name);

/* From now on all lines say this command, whatever they are told: for a command that has another
 * one's options. */
void message_command(const char *name);

/* For one of several processes that all may have something to say: from now on the two above print
 * nothing; the last line, without "rmat COMMAND: ", is kept until it is taken.  "" where there is
 * none. */
void message_keep(void);
void message_take(char text[MESSAGE_TEXT]);

/* Print a line in any case; from any thread. */
void message_print(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Flush stdout.  A reader that went away is no failure of ours; a full disk is: EXIT_RUNTIME. */
int finish_stdout(const char *command);

#endif
