/* What the files of apps/binding/ share. */
#ifndef APPS_BINDING_PRIVATE_H
#define APPS_BINDING_PRIVATE_H

/* Keep a text for binding_error().  Returns the status. */
int binding_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Free a tensor of binding_dlpack() that nobody took over. */
void binding_dlpack_delete(void *tensor);

#endif
