/* What the files of apps/binding/ share. */
#ifndef APPS_BINDING_PRIVATE_H
#define APPS_BINDING_PRIVATE_H

/* Keep a text for binding_error().  Returns the status. */
int binding_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
