/* job.c - a job: its defaults, the plan that follows from its members, and all rules between the
 * members. */
#include "apps/engine/job.h"
#include "apps/common/system.h"
#include "mpi/dist.h"
#include "rmat/rmat_interval.h"
#include "rmat/try.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_CSR_ROWS ((uint64_t)1 << 40)

void engine_job_default(engine_job *job)
{
    memset(job, 0, sizeof *job);
    rmat_config_default(&job->model);
    job->model.rows_scale = job->model.cols_scale = 20;
    job->edges = (uint64_t)16 << 20;
    job->output = "graph.h5";
}

/* Edges by rows are generated in sorted order. */
static bool is_in_order(const engine_job *job)
{
    return job->source == NULL && job->model.stream == RMAT_STREAM_ROWS &&
           rmat_is_as_drawn(&job->model);
}

/* Can edges be made of the model, or of the source by the model's options? */
static int check_model(const engine_job *job)
{
    rmat_config m = job->model;
    rmat_gen *gen = NULL;
    double kept = 1, with_loops = 1;
    int status;

    m.backend = RMAT_BACKEND_CPU;
    status = job->source != NULL          ? rmat_create_from(&gen, &job->source->edges, &m)
             : rmat_is_official(m.stream) ? rmat_create(&gen, &m)
                                          : rmat_expect_kept(&m, &kept);
    rmat_destroy(gen);
    if (status != RMAT_OK) {
        return engine_refuse("model", "%s", rmat_strerror(status));
    }
    if (kept * RMAT_MAX_REDRAW >= 1) {
        return ENGINE_OK;
    }
    m.no_self_loops = 0; /* would it be enough without? */
    (void)rmat_expect_kept(&m, &with_loops);
    return engine_refuse(with_loops * RMAT_MAX_REDRAW >= 1 ? "no_self_loops" : "vertices",
                         "a fraction of %.3g of the draws would be kept, allowed: 1/%d or more",
                         kept, RMAT_MAX_REDRAW);
}

/* Checks the model or the source, and fills in its consequences: numbers of vertices and edges, and
 * weights. */
static int complete_model(engine_plan *p)
{
    engine_job *job = &p->job;
    rmat_config *m = &job->model;
    const rmat_source *source = job->source != NULL ? &job->source->edges : NULL;
    const bool both = m->symmetrize != 0;
    /* The edges are a fixed list, from which no more can be drawn. */
    const bool fixed = source != NULL || m->stream != RMAT_STREAM_RMAT;
    const uint64_t most = source != NULL ? source->edges : RMAT_MAX_EDGES >> both;

    m->edges = m->stream == RMAT_STREAM_ROWS && job->edges <= most ? job->edges : 0;
    RMAT_OR_RETURN(check_model(job));
    if (fixed && job->unique && !job->dedup) {
        return engine_refuse("unique",
                             "given for edges that are not drawn at random, allowed: dedup");
    }
    p->own_weights = source != NULL ? source->weights != RMAT_NO_WEIGHTS : rmat_has_own_weights(m);
    p->drops_loops = (source != NULL || rmat_is_official(m->stream)) && m->no_self_loops;
    if (source != NULL) {
        m->rows = source->rows;
        m->cols = source->cols;
        m->rows_scale = rmat_scale_of(source->rows);
        m->cols_scale = rmat_scale_of(source->cols);
        m->weights = p->own_weights ? source->weights : m->weights;
    }
    job->sorted = job->sorted || p->drops_loops || is_in_order(job);
    m->rows = m->rows == 0 ? (uint64_t)1 << m->rows_scale : m->rows;
    m->cols = m->cols == 0 ? (uint64_t)1 << m->cols_scale : m->cols;
    m->threads = 1; /* the pipeline's generators are the threads */
    if (m->first > most || job->edges > most - m->first || job->edges > RMAT_MAX_EDGES >> both) {
        return engine_refuse("edges", "'%" PRIu64 "' is out of range%s, allowed: 0 to %" PRIu64,
                             job->edges, both ? " with symmetrize" : "", most);
    }
    p->draws = job->unique && !job->dedup;
    job->unique = job->unique || job->dedup;
    p->graph_edges = job->edges << both;
    p->graph_edges_known =
        !job->dedup && !p->drops_loops && (!job->unique || !both || m->no_self_loops);
    return ENGINE_OK;
}

const char *const engine_id_names[] = {"auto", "int32", "int64", "uint32", "uint64", NULL};

/* In the order of the names. */
static const struct {
    int bytes;
    engine_sign sign;
    unsigned trait; /* of formats that allow it */
} id_types[] = {{0, ENGINE_SIGN_AUTO, 0},
                {4, ENGINE_SIGNED, GRAPHFILE_SIGNED_IDS},
                {8, ENGINE_SIGNED, GRAPHFILE_SIGNED_IDS},
                {4, ENGINE_UNSIGNED, GRAPHFILE_UNSIGNED_IDS},
                {8, ENGINE_UNSIGNED, GRAPHFILE_UNSIGNED_IDS}};

enum { ID_TYPES = sizeof id_types / sizeof *id_types };

void engine_id_type(int name, int *bytes, engine_sign *sign)
{
    *bytes = id_types[name].bytes;
    *sign = id_types[name].sign;
}

static bool id_fits(int bytes, engine_sign sign, uint64_t vertices)
{
    return bytes == 8 || vertices <= (uint64_t)1 << (sign == ENGINE_SIGNED ? 31 : 32);
}

int engine_check_ids(graphfile_format format, int id_bytes, engine_sign sign, uint64_t vertices)
{
    const unsigned traits = graphfile_table[format]->traits;
    const int asked = (sign == ENGINE_SIGNED ? 1 : 3) + (id_bytes != 4); /* of id_types */
    char list[128] = "auto";

    if (id_bytes != 0 && id_bytes != 4 && id_bytes != 8) {
        return engine_refuse("id_bytes", "'%d' is unknown, allowed: 0, 4, 8", id_bytes);
    }
    if (sign != ENGINE_SIGN_AUTO && !(traits & id_types[asked].trait)) {
        graphfile_list(id_types[asked].trait, list, sizeof list);
        return engine_refuse("id_type", "'%s' given with format %s, allowed: with %s",
                             engine_id_names[asked], graphfile_names[format], list);
    }
    if (id_bytes != 4 || id_fits(4, sign, vertices)) {
        return ENGINE_OK;
    }
    for (int i = 1; i < ID_TYPES; i++) {
        if (traits & id_types[i].trait && id_fits(id_types[i].bytes, id_types[i].sign, vertices)) {
            strcat(strcat(list, ", "), engine_id_names[i]);
        }
    }
    return engine_refuse("id_type", "'%s' is too narrow for %" PRIu64 " vertices, allowed: %s",
                         engine_id_names[asked], vertices, list);
}

/* Chooses how the file is made, and the format of the HDF5 file that it is or is made from. */
static void choose_way(engine_plan *p)
{
    engine_job *job = &p->job;
    const unsigned traits = graphfile_table[job->format]->traits;
    const bool pointers = traits & GRAPHFILE_NEEDS_POINTERS;
    /* Pointers take less than source vertices, if there are not more rows than edges. */
    const bool rows = pointers || job->model.rows <= p->graph_edges;

    p->foreign = !(traits & GRAPHFILE_EDGEFILE);
    job->sorted = job->sorted || job->unique || (traits & GRAPHFILE_NEEDS_SORTED) != 0;
    p->way = !job->sorted || (is_in_order(job) && !job->unique && !pointers) ? ENGINE_LIST
             : p->foreign && (pointers || dist_size() > 1)                   ? ENGINE_CONVERTED
                                                                             : ENGINE_SORTED;
    p->rounds = dist_size() > 1 && p->foreign && p->way == ENGINE_LIST;
    p->gpu_sorts =
        p->way == ENGINE_LIST || (job->model.rows_scale <= 32 && job->model.cols_scale <= 32);
    p->hdf5_format = job->format == GRAPHFILE_CSR || (p->way == ENGINE_CONVERTED && rows)
                         ? GRAPHFILE_CSR
                         : GRAPHFILE_H5;
}

/* Can the edges be sorted, if they are? */
static int check_sorting(const engine_plan *p)
{
    const int bits = p->job.model.rows_scale + p->job.model.cols_scale;

    /* Weights that edges bring are sorted with them, as 32 of 128 bits. */
    if (p->own_weights && p->way != ENGINE_LIST && bits > 96) {
        return engine_refuse("weights",
                             "the edges' own weights cannot be sorted in a matrix of 2^%d cells, "
                             "allowed: up to 2^96",
                             bits);
    }
    if (p->job.model.backend == RMAT_BACKEND_GPU && !p->gpu_sorts) {
        return engine_refuse("backend",
                             "'gpu' given for a sorted graph of more than 2^32 rows or columns, "
                             "allowed: auto, cpu, or the stream rows, which comes in order");
    }
    return ENGINE_OK;
}

/* Characters of the longest weight, where that is known. */
static int weight_text(const engine_plan *p)
{
    const rmat_config *m = &p->job.model;
    const bool bounded = m->weights == RMAT_WEIGHTS_INT && !p->own_weights;
    const int least = snprintf(NULL, 0, "%" PRId32, m->weight_min);
    const int greatest = snprintf(NULL, 0, "%" PRId32, m->weight_max);

    return !bounded ? 0 : least > greatest ? least : greatest;
}

/* Describes the graph for graphfile.h. */
static void describe_graph(engine_plan *p)
{
    static const edgefile_weight kinds[] = {EDGEFILE_NO_WEIGHT, EDGEFILE_WEIGHT_F32,
                                            EDGEFILE_WEIGHT_I32, EDGEFILE_WEIGHT_F32};
    const rmat_config *m = &p->job.model;
    const engine_source none = {.pairs = false}, *s = p->job.source != NULL ? p->job.source : &none;
    const bool kept = !m->symmetrize && m->direction == RMAT_DIRECTED;

    p->graph = (graphfile_graph){.rows = m->rows,
                                 .cols = m->cols,
                                 .edges = p->graph_edges,
                                 .id_bytes = p->job.id_bytes,
                                 .signed_ids = p->job.id_sign == ENGINE_SIGNED,
                                 .weight = kinds[m->weights],
                                 .weight_text = weight_text(p),
                                 .sorted = p->job.sorted,
                                 .unique = p->job.unique || (s->unique && kept),
                                 .pairs = m->symmetrize || (s->pairs && kept),
                                 .no_loops = m->no_self_loops || s->no_loops};
    p->weight_bytes = m->weights == RMAT_NO_WEIGHTS ? 0 : 4;
}

static int check_file(const engine_plan *p)
{
    const engine_job *job = &p->job;

    if (job->output == NULL || *job->output == '\0') {
        return engine_refuse("output", "missing");
    }
    if (job->format == GRAPHFILE_CSR && job->model.rows > MAX_CSR_ROWS) {
        return engine_refuse("format",
                             "'csr' given with %" PRIu64
                             " source vertices, allowed: up to 2^40, because each takes 8 bytes",
                             job->model.rows);
    }
    if (p->foreign && dist_size() > 1 && strcmp(job->output, "-") == 0) {
        return engine_refuse("output", "'-' given on %d ranks, allowed: a file", dist_size());
    }
    return !p->foreign || graphfile_check(job->format, &p->graph) == EDGEFILE_OK
               ? ENGINE_OK
               : engine_refuse("format", "%s", edgefile_detail());
}

/* Does the model have so many distinct edges?  One with a zero in its matrices has fewer cells than
 * rows times columns.  The sample of a sorted graph shows whether drawing them takes too long. */
static int check_unique(const engine_job *job)
{
    rmat_config model = job->model;
    uint64_t possible;
    int status;

    model.backend = RMAT_BACKEND_CPU;
    model.threads = job->threads;
    status = rmat_support_size(&model, &possible);
    if (status != RMAT_OK) {
        return engine_refuse("unique", "%s", rmat_strerror(status));
    }
    return job->edges <= possible
               ? ENGINE_OK
               : engine_refuse(
                     "edges",
                     "'%" PRIu64
                     "' is out of range for distinct edges, because the model has %" PRIu64
                     " different %s, allowed: 0 to %" PRIu64,
                     job->edges, possible, job->model.symmetrize ? "pairs of vertices" : "edges",
                     possible);
}

int engine_make_plan(engine_plan *p, const engine_job *asked)
{
    engine_job *job = &p->job;
    uint64_t vertices;

    *p = (engine_plan){.job = *asked};
    RMAT_OR_RETURN(complete_model(p));
    vertices = job->model.rows > job->model.cols ? job->model.rows : job->model.cols;
    RMAT_OR_RETURN(engine_check_ids(job->format, job->id_bytes, job->id_sign, vertices));
    if (job->id_bytes == 0) {
        job->id_bytes = id_fits(4, job->id_sign, vertices) ? 4 : 8;
    }
    choose_way(p);
    describe_graph(p);
    job->threads = cpu_threads(job->threads > 0 ? (uint64_t)job->threads : 0);
    if (job->memory == 0 && p->way == ENGINE_LIST) {
        job->memory = ENGINE_LIST_MEMORY;
    }
    RMAT_OR_RETURN(check_sorting(p));
    RMAT_OR_RETURN(check_file(p));
    return p->draws ? check_unique(job) : ENGINE_OK;
}

int engine_check(const engine_job *job)
{
    engine_plan plan;

    return engine_make_plan(&plan, job);
}
