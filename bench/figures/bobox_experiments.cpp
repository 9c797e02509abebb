#include <algorithm>
#include <array>

#include "bench/figures/bobox.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/dataflow/core_orders.hpp"

namespace mxk::bench {
namespace {

using Which = RowChoice::Which;
using Said = BoboxStatement;
using Parts = std::array<BoboxPart, 1>;

constexpr Bound or_more(double low) {
    return {.low = low, .in_words = true};
}
constexpr Bound up_to(double high) {
    return {.high = high, .in_words = true};
}
constexpr Bound from_to(double low, double high) {
    return {.low = low, .high = high, .in_words = true};
}

constexpr Said ratio(std::string_view says, Bound bound, std::string_view over, std::string_view under) {
    return {.says = says, .bound = bound, .over = {over}, .under = RowChoice{under}};
}
constexpr Said ratio_of_parts(std::string_view says, Bound bound, std::string_view over, std::string_view under) {
    return {.says = says, .bound = bound, .over = {.part = over}, .under = RowChoice{.part = under}};
}
constexpr BoboxExperiment missing(std::string_view number, std::string_view title,
                                  std::span<BoboxStatement const> statements, std::string_view reason) {
    return {.number = number, .title = title, .statements = statements, .not_built = reason};
}

std::string_view lacks_second_node() {
    auto const has_both = [](topology::Node const& node) { return !node.memory.empty() && !node.cores.empty(); };
    return std::ranges::count_if(system_topology().nodes, has_both) > 1 ? "" : "needs two nodes";
}
// Whether a core of the first node has others there to which is_right(nearest level that it shares, farthest one).
template <typename IsRight> bool has_core(IsRight is_right) {
    auto const& all = system_topology().cores;
    for (topology::Core const& core : all) {
        unsigned nearest = UINT32_MAX;
        unsigned farthest = 0;
        for (topology::Core const& other : all) {
            if (other.id == core.id || other.node != all[0].node || core.node != all[0].node) continue;
            nearest = std::min(nearest, dataflow::shared_level(core, other));
            farthest = std::max(farthest, dataflow::shared_level(core, other));
        }
        if (is_right(nearest, farthest)) return true;
    }
    return false;
}
// Cores that share a cache with some others, and not with all.
std::string_view lacks_other_caches() {
    bool const is_there = has_core([](unsigned nearest, unsigned farthest) { return farthest > nearest; });
    return is_there ? "" : "needs caches of some cores only";
}
std::string_view lacks_shared_caches() {
    bool const is_there = has_core([](unsigned nearest, unsigned) { return nearest <= CoreLevels::cache_levels; });
    return is_there ? "" : "needs cores that share a cache";
}

// Their names are those of many things.
namespace bobox {

constexpr Parts alone{{{.command = "dataflow sweep --way in-sequence --requests 16 --discipline original"}}};
constexpr std::array alone_says{
    Said{"very small envelopes are expensive: 5 KiB by the best size",
         up_to(0.9),
         {"5 KiB"},
         RowChoice{.which = Which::Largest}},
    ratio("the best size is well below the cache: 4000 KiB by 100", up_to(1), "4000 KiB", "100 KiB")};

constexpr Parts in_parallel{
    {{.command = "dataflow sweep --way in-sequence,all-cores --requests 8 --discipline original"}}};
constexpr std::array in_parallel_says{
    Said{"the same with as many requests as cores: 5 KiB by the best size",
         up_to(0.9),
         {"all-cores, 5 KiB"},
         RowChoice{.title = "all-cores", .which = Which::Largest}},
    Said{"small envelopes gain less there: 100 KiB by 4000, one at a time by all cores",
         or_more(1),
         {"in-sequence, 100 KiB"},
         RowChoice{"in-sequence, 4000 KiB"},
         RowChoice{"all-cores, 100 KiB"},
         RowChoice{"all-cores, 4000 KiB"}}};

constexpr Parts steals{{{.command = "dataflow steal --victims nearest,farthest"}}};
constexpr std::array steals_says{Said{.says = "stealing from who shares no cache takes somewhat longer: by who does",
                                      .bound = from_to(1, 1.1),
                                      .over = {"farthest"},
                                      .under = RowChoice{"nearest"},
                                      .lacks = &lacks_other_caches}};

constexpr Parts distances{{{.command = "memory --part matrix"}}};
constexpr std::array distances_says{
    Said{.says = "memory of another node: up to 2.6 times the time, the farthest by the nearest",
         .bound = from_to(1.3, 5.2),
         .over = {.which = Which::Largest},
         .under = RowChoice{.which = Which::Smallest},
         .lacks = &lacks_second_node}};

constexpr Parts place_parts{{{.command = "dataflow place --way 0/0,1/1,0/far"}}};
constexpr std::array places_says{
    ratio("far memory makes requests slower, and less than twice as slow: near by far", from_to(1, 2), "0/0", "0/far")};

constexpr Parts siblings{{{.command = "dataflow mix --requests 10x6 --discipline original"}}};
constexpr std::array siblings_says{ratio("six cores with one thread each do clearly more than three with two",
                                         or_more(1.1), "physical:6 cores", "siblings:6 cores")};

constexpr std::array reruns{BoboxPart{"unbound", "dataflow mix --requests 16x4 --discipline requests"},
                            BoboxPart{"bound", "dataflow mix --requests 16x4 --discipline requests --reruns-bound"}};
constexpr std::array reruns_says{ratio_of_parts("reruns that are unbound: 1 to 2 % more than bound ones, here no fewer",
                                                or_more(1), "unbound", "bound")};

constexpr Parts one_fifo{{{.command = "dataflow flood --requests 10,1000 --discipline one-fifo"}}};
constexpr std::array one_fifo_says{
    Said{.says = "with one FIFO memory has no bound: the peak of 1000 requests by that of 10",
         .bound = or_more(10),
         .over = {.title = "1000 requests", .finding = "peak_kib"},
         .under = RowChoice{.title = "10 requests", .finding = "peak_kib"},
         .is_of_speed = false},
    Said{.says = "equal requests end in the order of their arrival: of 1000, by how many places one is late",
         .bound = {.high = 100, .as = Bound::As::Count, .in_words = true},
         .over = {.title = "1000 requests", .finding = "max_late"},
         .is_of_speed = false}};

constexpr Parts two_fifos{{{.command = "dataflow mix --requests 16x4 --discipline requests,two-fifos"}}};
constexpr std::array two_fifos_says{
    ratio("queues of requests: 2 to 3 % more than two FIFOs, here no less", or_more(1), "requests", "two-fifos")};

constexpr Parts nodes{{{.command = "dataflow balance --way one-node,balanced,chosen"}}};
constexpr std::array nodes_says{
    ratio("balancing takes less time than one node", up_to(1), "balanced", "one-node"),
    ratio("choosing the node takes less time than balancing alone", up_to(1), "chosen", "balanced")};

constexpr std::array order_says{Said{.says = "whom to steal from first is almost unmeasurable: nearest by farthest",
                                     .bound = from_to(0.95, 1.05),
                                     .over = {"nearest"},
                                     .under = RowChoice{"farthest"},
                                     .lacks = &lacks_other_caches}};

constexpr Parts recommended{{{.command = "dataflow sweep"}}};
constexpr std::array recommended_says{Said{"the recommended size is good with one request at a time: by the best one",
                                           or_more(0.9),
                                           {"in-sequence, *"},
                                           RowChoice{.title = "in-sequence", .which = Which::Largest}},
                                      Said{"and with as many as there are cores",
                                           or_more(0.9),
                                           {"all-cores, *"},
                                           RowChoice{.title = "all-cores", .which = Which::Largest}}};

constexpr Parts sorts{{{.command = "dataflow sort --way on-arrival,collected --requests 4x2 --discipline original"}}};
constexpr std::array sorts_says{ratio("sorting as envelopes come is clearly faster: by sorting at the end",
                                      or_more(1.05), "on-arrival", "collected")};

constexpr Parts fresh{{{.command = "heap first-touch --heap glibc,mxk --iterations 50"}}};
constexpr std::array fresh_says{
    ratio("fresh memory is slower than the same again: glibc's P1 by its P2", or_more(1.05), "glibc, p1", "glibc, p2")};

constexpr Parts chains{{{.command = "heap micro --heap mxk --pattern lifo --live 20000 --size 48,16048"}}};
constexpr std::array chains_says{Said{.says = "chains of small objects are longer: 17.5 of 48 bytes by 2.03 of 16048",
                                      .bound = from_to(4.3, 17.2),
                                      .over = {.title = "48 bytes", .finding = "chain_length"},
                                      .under = RowChoice{.title = "16048 bytes", .finding = "chain_length"},
                                      .is_of_speed = false}};

constexpr Parts final_mix{{{.command = "dataflow mix --rows 0 --requests 64x1,32x2,16x4,4x16 "
                                       "--discipline requests,original --others-heap glibc"}}};
constexpr std::array final_says{ratio("the new scheduler and allocator: 6 to 25 % faster, four requests at a time",
                                      {.low = 0.03, .high = 0.5, .as = Bound::As::Change, .in_words = true},
                                      "requests, 16x4", "original, 16x4"),
                                Said{"the more, the more requests are under way: sixteen at a time by one",
                                     or_more(1),
                                     {"requests, 4x16"},
                                     RowChoice{"original, 4x16"},
                                     RowChoice{"requests, 64x1"},
                                     RowChoice{"original, 64x1"}}};

constexpr std::array busy{BoboxPart{"asleep", "dataflow mix --requests 64x1 --discipline original"},
                          BoboxPart{"busy", "dataflow mix --requests 64x1 --discipline original --busy-wait"}};
constexpr std::array busy_says{
    ratio_of_parts("cores that sleep do much more than cores that wait busily", or_more(1.1), "asleep", "busy")};

constexpr Parts counters{{{.command = "dataflow counters"}}};
constexpr std::array counters_says{
    ratio("counters in one word: 3 to 4 % more than under a lock, here, alone, no less: time of the lock by the word",
          or_more(1), "lock", "word")};

constexpr std::array scans{
    BoboxPart{"without", "dataflow mix --requests 16x4 --discipline requests"},
    BoboxPart{"under a lock", "dataflow mix --requests 16x4 --discipline requests --locked-scan"}};
constexpr std::array scan_says{ratio_of_parts("a scan without locks, and a look before it: 3 to 4 % more, here no less",
                                              or_more(1), "without", "under a lock")};

constexpr std::array drained{
    BoboxPart{"to blocks", "heap remote --heap mxk --pattern all-to-all"},
    BoboxPart{"onto the stack", "heap remote --heap mxk --pattern all-to-all --returned-to stack"}};
constexpr std::array drained_says{ratio_of_parts("drained objects pass by the stack: 1 to 2 % more, here no less",
                                                 or_more(1), "to blocks", "onto the stack")};

constexpr std::array hot{
    BoboxPart{"to blocks", "heap remote --heap mxk --pattern all-to-all"},
    BoboxPart{"neighbours' as hot", "heap remote --heap mxk --pattern all-to-all --returned-to neighbours"}};
constexpr std::array hot_says{Said{.says = "frees of who shares a cache as hot ones: somewhat less",
                                   .bound = up_to(1),
                                   .over = {.part = "neighbours' as hot"},
                                   .under = RowChoice{.part = "to blocks"},
                                   .lacks = &lacks_shared_caches}};

constexpr std::array purges{
    BoboxPart{"stay", "heap micro --heap mxk --pattern sawtooth --live 20000 --size 64"},
    BoboxPart{"leave", "heap micro --heap mxk --pattern sawtooth --live 20000 --size 64 --purge"}};
constexpr std::array purge_says{
    ratio_of_parts("blocks that became empty leave the stack at once: more time", or_more(1), "leave", "stay")};

constexpr std::array timed{
    BoboxPart{"until woken", "dataflow mix --requests 16x4 --discipline requests"},
    BoboxPart{"for a time", "dataflow mix --requests 16x4 --discipline requests --sleep-time 200000"}};
constexpr std::array timed_says{
    ratio_of_parts("sleeping for a time does less than sleeping until woken", up_to(1), "for a time", "until woken")};

// What needs something that there is not.
constexpr std::array mappings_says{Said{"about 65,500 mappings, then no more", or_more(32'750)}};

constexpr std::string_view one_node = "node:0";
constexpr std::string_view all_rows = "--all-rows";

constexpr std::array experiments{
    BoboxExperiment{"E1", "size of envelopes, one request at a time", alone, all_rows, 2'000'000, one_node, alone_says},
    BoboxExperiment{"E2", "size of envelopes, as many requests as cores", in_parallel, all_rows, 2'000'000, one_node,
                    in_parallel_says},
    BoboxExperiment{"E3", "every task is stolen", steals, "--ops", 200'000, one_node, steals_says},
    BoboxExperiment{"E4", "distances of nodes", distances, "--loads", 1'000'000, "0", distances_says},
    BoboxExperiment{"E5", "requests on nodes near and far", place_parts, "--requests", 8, "", places_says},
    BoboxExperiment{"E6", "threads of one core", siblings, "--rows", 4096, "siblings:6/physical:6", siblings_says},
    BoboxExperiment{"E7", "a task asked for while it runs", reruns, "--rows", 4096, "", reruns_says},
    BoboxExperiment{"E8", "one FIFO", one_fifo, "--rows", 1024, "", one_fifo_says},
    BoboxExperiment{"E9", "queues of requests, or two FIFOs", two_fifos, "--rows", 4096, "", two_fifos_says},
    BoboxExperiment{"E10", "counters in one word", counters, "--ops", 1'000'000, "", counters_says},
    BoboxExperiment{"E11", "scan without locks", scans, "--rows", 4096, "", scan_says},
    BoboxExperiment{"E12", "balancing, and choice of nodes", nodes, "--requests", 200, "", nodes_says},
    BoboxExperiment{"E13", "order of victims", steals, "--ops", 200'000, one_node, order_says},
    BoboxExperiment{"E14", "the recommended size of envelopes", recommended, all_rows, 2'000'000, "", recommended_says},
    BoboxExperiment{"E15", "boxes that sort", sorts, all_rows, 1'000'000, "", sorts_says},
    BoboxExperiment{"E16", "fresh memory", fresh, "--mib", 512, "1", fresh_says},
    BoboxExperiment{"E17", "objects that others freed", drained, "--ops", 1'000'000, "", drained_says},
    BoboxExperiment{"E18", "objects that neighbours freed", hot, "--ops", 1'000'000, one_node, hot_says},
    BoboxExperiment{"E19", "blocks that became empty", purges, "--ops", 500'000, "1", purge_says},
    BoboxExperiment{"E20", "lengths of chains", chains, "--ops", 500'000, "1", chains_says},
    BoboxExperiment{"E21", "sleeping for a time", timed, "--rows", 4096, "", timed_says},
    BoboxExperiment{"E22", "waiting busily", busy, "--rows", 4096, "", busy_says},
    missing("E23", "mappings", mappings_says, "not built: libnuma's limit, which has no counterpart"),
    BoboxExperiment{"E24", "the new scheduler and allocator", final_mix, "--envelopes", 16, "", final_says}};

} // namespace bobox
} // namespace

std::span<BoboxExperiment const> bobox_experiments() {
    return bobox::experiments;
}

} // namespace mxk::bench
