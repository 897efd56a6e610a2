/* graphfile_buffer.c - bytes that grow. */
#include "io/graphfile_impl.h"

#include <stdlib.h>

char *graphfile_reserve(graphfile_buffer *b, size_t bytes)
{
    size_t room = b->bytes + bytes;
    char *data;

    if (room > b->room) {
        room += room / 4;
        data = realloc(b->data, room);
        if (data == NULL)
            return NULL;
        b->data = data;
        b->room = room;
    }
    return b->data + b->bytes;
}

void graphfile_buffer_free(graphfile_buffer *b)
{
    free(b->data);
    *b = (graphfile_buffer){0};
}
