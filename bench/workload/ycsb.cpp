#include "bench/workload/ycsb.hpp"

#include <array>

#include "base/format.hpp"

namespace mxk::bench {
namespace {

struct NamedYcsb {
    std::string_view name;
    Ycsb::Shares shares;
};
constexpr std::array workloads_of_ycsb{
    NamedYcsb{"ycsb-a", {.finds = 50, .updates = 50, .inserts = 0, .modifies = 0}},
    NamedYcsb{"ycsb-b", {.finds = 95, .updates = 5, .inserts = 0, .modifies = 0}},
    NamedYcsb{"ycsb-c", {.finds = 100, .updates = 0, .inserts = 0, .modifies = 0}},
    NamedYcsb{"ycsb-d", {.finds = 95, .updates = 0, .inserts = 5, .modifies = 0}},
    NamedYcsb{"ycsb-f", {.finds = 50, .updates = 0, .inserts = 0, .modifies = 50}},
};

constexpr double theta_of_ycsb = 0.99;

constexpr NamedYcsb const& named(Ycsb const& workload) {
    for (NamedYcsb const& each : workloads_of_ycsb)
        if (each.name.back() == workload.letter) return each;
    return workloads_of_ycsb.front();
}

} // namespace

Ycsb::Shares Ycsb::shares() const {
    return named(*this).shares;
}

Distribution Ycsb::distribution() const {
    return letter == 'd' ? Distribution::latest() : Distribution::zipf(theta_of_ycsb);
}

Result<void> parse_value(std::string_view text, Ycsb& workload) {
    for (NamedYcsb const& each : workloads_of_ycsb) {
        if (text != each.name) continue;
        workload.letter = each.name.back();
        return {};
    }
    return Error::of("expected ycsb-a, ycsb-b, ycsb-c, ycsb-d or ycsb-f, got '{}'{}", text,
                     text == "ycsb-e" ? ", which scans ranges of keys: a hash table has no order to scan in" : "");
}

void print_value(TextSink& out, Ycsb const& workload) {
    out.write(named(workload).name);
}

void describe_value(TextSink& out, Ycsb const&) {
    out.write("ycsb-a|b|c|d|f");
}

void complete_value(console::Candidates& candidates, Ycsb const&) {
    for (NamedYcsb const& each : workloads_of_ycsb) candidates.offer(each.name);
}

} // namespace mxk::bench
