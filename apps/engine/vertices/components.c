/*
 * components.c - the connected components of a graph, by union-find without locks.
 *
 * component[v] is v itself for a root, else a smaller vertex of the same component.  A root is
 * hung below a smaller root by an atomic operation, which fails if another thread has hung it
 * meanwhile; a search halves the path that it takes.  So links only ever lead to smaller vertices,
 * and in the end the root of a component is its least vertex, whatever the threads did.
 */
#include "apps/engine/vertices/vertices.h"

void components_begin(uint64_t *component, uint64_t n)
{
    for (uint64_t v = 0; v < n; v++) {
        component[v] = v;
    }
}

static uint64_t load(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static uint64_t find(uint64_t *component, uint64_t v)
{
    for (;;) {
        uint64_t up = load(&component[v]);
        const uint64_t above = load(&component[up]);

        if (up == above) {
            return up;
        }
        __atomic_compare_exchange_n(&component[v], &up, above, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
        v = above;
    }
}

void components_unite(uint64_t *component, uint64_t u, uint64_t v)
{
    for (;;) {
        uint64_t high = find(component, u), low = find(component, v);

        if (high == low) {
            return;
        }
        u = high < low ? high : low;
        v = high < low ? low : high;
        if (__atomic_compare_exchange_n(&component[v], &v, u, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            return;
        }
    }
}

/* Vertices come in order, so that those above v are right already.  A root has the complement of
 * its component's size until all are counted. */
void components_close(uint64_t *component, uint64_t n, uint64_t *largest)
{
    uint64_t most = 0;

    *largest = 0;
    for (uint64_t v = 0; v < n; v++) {
        const uint64_t up = component[v];

        if (up == v) {
            component[v] = ~(uint64_t)0;
        } else if (component[up] < up) {
            component[v] = component[up];
        }
        component[up == v || component[up] > up ? up : component[up]]--;
    }
    for (uint64_t v = 0; v < n; v++) {
        if (component[v] > v) {
            const uint64_t size = ~component[v];

            if (size > most) {
                most = size;
                *largest = v;
            }
            component[v] = v;
        }
    }
}
