/* Virtual files (io/edgefile_virtual.h) of R-MAT models: how they are written, and how their edges
 * are made. */
#ifndef APPS_ENGINE_VIRTUAL_VIRTUAL_H
#define APPS_ENGINE_VIRTUAL_VIRTUAL_H

#include "io/edgefile_virtual.h"
#include "rmat/rmat.h"

/* Of models with a matrix for each level, there may be so many levels. */
enum { ENGINE_VIRTUAL_LEVELS = 28 };

/* Makes the bytes of the file; model: as `rmat generate` was told, or without noise where its
 * levels have it already.  Returns an edgefile_status. */
int engine_virtual_image(const graphfile_spec *spec, const rmat_config *model, void **image,
                         uint64_t *bytes);

/* Is this the model that a virtual file makes its edges of?  Likewise, as edgefile_virtual_check().
 */
int engine_virtual_check(edgefile_reader *r, const rmat_config *model);

/* From now on edgefile_open() opens virtual files. */
void engine_virtual_register(void);

#endif
