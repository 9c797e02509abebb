#include "main/preload/processors.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <new>
#include <span>
#include <string_view>

#include "main/preload/preload_memory.hpp"

namespace mxk::preload {
namespace {

constexpr std::uint32_t unknown = 0xffff'ffff;

// The first processor of those that share the core and the cache; the node's number.
struct Shares {
    std::uint32_t core = unknown;
    std::uint32_t cache = unknown;
    std::uint32_t node = 0;
    std::uint32_t memory = 0; // the node's that there is
};

constinit Shares* shares = nullptr;
constinit std::uint32_t count = 0;
constinit locks::LockTopology topology;

// A file with a list such as 0-3,8 in it; empty: there is none.
class List {
  public:
    // The file's name, with numbers in it.
    explicit List(char const* pattern, std::uint32_t first = 0, std::uint32_t second = 0) {
        std::array<char, 128> name{};
        std::snprintf(name.data(), name.size(), pattern, first, second);
        int const file = open(name.data(), O_RDONLY | O_CLOEXEC);
        if (file < 0) return;
        ssize_t const read_bytes = read(file, text_.data(), text_.size());
        close(file);
        length_ = read_bytes > 0 ? static_cast<std::size_t>(read_bytes) : 0;
    }
    template <typename Function> void each(Function function) const {
        std::string_view left(text_.data(), length_);
        while (!left.empty()) {
            ReadNumber const first = read_number(left);
            if (first.length == 0) return;
            left.remove_prefix(first.length);
            ReadNumber last = first;
            if (left.starts_with('-')) {
                last = read_number(left.substr(1));
                left.remove_prefix(last.length + 1);
            }
            for (std::uint32_t i = first.value; i <= last.value; ++i) function(i);
            left.remove_prefix(left.empty() ? 0 : 1);
        }
    }

  private:
    std::array<char, 4096> text_;
    std::size_t length_ = 0;
};

// Says it of all that the list names, with the first of them.
void share(std::uint32_t Shares::*what, std::uint32_t processor, List const& list) {
    shares[processor].*what = processor;
    std::uint32_t first = unknown;
    list.each([&](std::uint32_t other) {
        if (first == unknown) first = other;
        if (other < count) shares[other].*what = first;
    });
}

void read_shares() {
    for (std::uint32_t i = 0; i < count; ++i) {
        if (shares[i].core == unknown)
            share(&Shares::core, i, List("/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", i));
        for (unsigned level = 4; level-- > 1 && shares[i].cache == unknown;) {
            List const list("/sys/devices/system/cpu/cpu%u/cache/index%u/shared_cpu_list", i, level);
            std::uint32_t sharers = 0;
            list.each([&](std::uint32_t) { ++sharers; });
            if (sharers > 1) share(&Shares::cache, i, list);
        }
        if (shares[i].cache == unknown) shares[i].cache = i;
    }
    List("/sys/devices/system/node/possible").each([](std::uint32_t node) {
        List("/sys/devices/system/node/node%u/cpulist", node).each([&](std::uint32_t processor) {
            if (processor < count) shares[processor].node = shares[processor].memory = node;
        });
    });
}

template <typename T> std::span<T> take_array() {
    return {new (take_memory(count * sizeof(T))) T[count], count};
}

// Groups get their numbers in the order of their first workers.
void make_topology() {
    auto const workers = take_array<locks::LockTopology::Worker>();
    auto const first_in_cache = take_array<locks::WorkerNumber>();
    auto const first_in_node = take_array<locks::WorkerNumber>();
    std::uint32_t caches = 0;
    std::uint32_t nodes = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        locks::LockTopology::Worker& worker = workers[i];
        worker = {.cache = unknown, .node = unknown, .memory = node_id(shares[i].memory)};
        for (std::uint32_t before = 0; before < i && worker.cache == unknown; ++before) {
            if (shares[before].node != shares[i].node) continue;
            worker.node = workers[before].node;
            if (shares[before].cache == shares[i].cache) worker.cache = workers[before].cache;
        }
        if (worker.node == unknown) {
            first_in_node[nodes] = i;
            worker.node = nodes++;
        }
        if (worker.cache == unknown) {
            first_in_cache[caches] = i;
            worker.cache = caches++;
        }
    }
    topology = {workers, first_in_cache.first(caches), first_in_node.first(nodes)};
}

} // namespace

void find_processors(std::size_t made_up_nodes) {
    List("/sys/devices/system/cpu/online").each([](std::uint32_t i) { count = i + 1; });
    if (count == 0) count = 1;
    shares = take_array<Shares>().data();
    read_shares();
    if (made_up_nodes != 0)
        for (std::uint32_t i = 0; i < count; ++i)
            shares[i].node = static_cast<std::uint32_t>(i * made_up_nodes / count);
    make_topology();
}

locks::LockTopology const& processors_topology() {
    return topology;
}

std::uint32_t current_processor() {
    int const processor = sched_getcpu();
    return processor < 0 ? 0 : static_cast<std::uint32_t>(processor) % count;
}

Distance distance_between(std::uint32_t a, std::uint32_t b) {
    Shares const& first = shares[a];
    Shares const& second = shares[b];
    if (first.node != second.node) return Distance::OtherNode;
    if (first.core == second.core) return Distance::SameCore;
    return first.cache == second.cache ? Distance::SameCache : Distance::SameNode;
}

} // namespace mxk::preload
