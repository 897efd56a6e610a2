/*
 * hubs.cpp - the vertices with the most outgoing edges, from C++: nothing is stored but the
 * degrees.
 *
 *     ./hubs 20        (the scale; 16 edges for each of the 2^20 vertices)
 *
 * Each thread takes every n-th piece of the edges.  A generator may be used by all of them at once.
 */
#include "rmat/rmat.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

static void check(int status)
{
    if (status != RMAT_OK) {
        throw std::runtime_error(rmat_strerror(status));
    }
}

static std::vector<std::atomic<uint32_t>> out_degrees(const rmat_config &config, uint64_t edges)
{
    const uint64_t piece = 1 << 16, threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::atomic<uint32_t>> degrees(uint64_t{1} << config.rows_scale);
    std::vector<std::thread> team;
    rmat_gen *created;

    check(rmat_create(&created, &config));
    const std::unique_ptr<rmat_gen, decltype(&rmat_destroy)> generator(created, rmat_destroy);

    for (uint64_t t = 0; t < threads; t++) {
        team.emplace_back([&, t] {
            std::vector<uint64_t> src(piece), dst(piece);

            for (uint64_t first = t * piece; first < edges; first += threads * piece) {
                const uint64_t count = std::min(piece, edges - first);

                check(rmat_generate(generator.get(), first, count, src.data(), dst.data()));
                for (uint64_t i = 0; i < count; i++) {
                    degrees[src[i]].fetch_add(1, std::memory_order_relaxed);
                }
            }
        });
    }
    for (std::thread &thread : team) {
        thread.join();
    }
    return degrees;
}

int main(int argc, char **argv)
try {
    const int scale = argc > 1 ? std::atoi(argv[1]) : 20;
    rmat_config config;

    if (scale < 3 || scale > 30) {
        throw std::invalid_argument("usage: hubs [scale, 3 to 30]");
    }
    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = scale;
    config.threads = 1; /* of each call */
    const auto degrees = out_degrees(config, uint64_t{16} << scale);
    std::vector<uint64_t> order(degrees.size());

    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + 5, order.end(), [&](uint64_t a, uint64_t b) {
        return degrees[a] != degrees[b] ? degrees[a] > degrees[b] : a < b;
    });
    for (int i = 0; i < 5; i++) {
        std::cout << order[i] << ' ' << degrees[order[i]] << '\n';
    }
    return 0;
} catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    return 1;
}
