/* fault.h - declarations shared by the files of the library that fails calls. */
#ifndef TESTS_FAULTS_FAULT_H
#define TESTS_FAULTS_FAULT_H

#include <dlfcn.h>
#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

/* The next definition of a function of this name. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum group { ALLOC, OPENING, READ, WRITE, SYNC, CLOSE, RENAME, THREAD, LOCK, CUDA, GROUPS };

/* Counts a call.  True: it is to fail, and errno says why; with the way "short", to do half; with
 * "after", to be made, and the program ended. */
bool strikes(enum group g);
bool is_to_end_after(void);
void end_it(void);

#endif
