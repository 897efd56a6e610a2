/* deflate_none.c - in place of deflate.c, for a build without ISA-L. */
#include "io/compressed/codec.h"
#include "io/reader.h"

int edgefile_codec_check(void)
{
    return edgefile_fail(EDGEFILE_ERR_ARG, "compressed HDF5 needs a build with ISA-L (libisal)");
}

size_t edgefile_codec_room(size_t bytes)
{
    return bytes;
}

edgefile_codec *edgefile_codec_new(size_t bytes)
{
    (void)bytes;
    return NULL;
}

void edgefile_codec_free(edgefile_codec *c)
{
    (void)c;
}

size_t edgefile_codec_encode(edgefile_codec *c, void *to, const void *from, size_t count,
                             size_t width)
{
    (void)c, (void)to, (void)from, (void)count, (void)width;
    return 0;
}

bool edgefile_codec_decode(edgefile_codec *c, void *to, size_t count, size_t width,
                           const void *from, size_t bytes)
{
    (void)c, (void)to, (void)count, (void)width, (void)from, (void)bytes;
    return false;
}
