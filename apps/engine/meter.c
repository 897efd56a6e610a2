/* How far a job is: steps of work into a share of the whole. */
#include "apps/engine/meter.h"
#include <stddef.h>

engine_meter engine_meter_of(const engine_watch *watch, const char *phase, uint64_t edges,
                             double edge_bytes)
{
    return (engine_meter){
        .watch = watch, .now = {phase, 0, 0, edges, edge_bytes}, .work = (double)edges};
}

int engine_meter_tick(engine_meter *meter, double steps, uint64_t edges)
{
    double share = meter->work > 0 ? (meter->before + steps) / meter->work : 1;

    if (meter->watch == NULL || meter->watch->tick == NULL) {
        return 0;
    }
    meter->now.share = share < 1 ? share : 1;
    meter->now.done = edges;
    return meter->watch->tick(meter->watch->state, &meter->now);
}
