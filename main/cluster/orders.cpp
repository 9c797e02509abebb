#include "main/cluster/orders.hpp"

#include <algorithm>

#include "base/panic.hpp"

namespace mxk::cluster {
namespace {

struct Envelope {
    std::array<char, 64> name{}; // empty: the end
    std::array<std::byte, Order::max_bytes> arguments{};
};
using Outcome = std::array<std::byte, Order::max_bytes>;

Outcome run(Cluster& cluster, Envelope const& envelope) {
    std::string_view const name = envelope.name.data();
    for (Order const* const order : registered_orders()) {
        if (order->name != name) continue;
        Outcome outcome{};
        order->run(cluster, envelope.arguments.data(), outcome.data());
        return outcome;
    }
    panic("expected an order that all ranks know, got '{}'", name);
}

} // namespace

std::vector<std::byte> give_bytes(std::string_view name, std::span<std::byte const> arguments) {
    Cluster& cluster = the_cluster();
    Envelope envelope;
    std::copy(name.begin(), name.end(), envelope.name.begin());
    std::copy(arguments.begin(), arguments.end(), envelope.arguments.begin());
    cluster.broadcast(envelope);
    std::vector<Outcome> const outcomes = cluster.gather(run(cluster, envelope));
    std::span const bytes = std::as_bytes(std::span(outcomes));
    return {bytes.begin(), bytes.end()};
}

void follow_orders() {
    Cluster& cluster = the_cluster();
    for (;;) {
        Envelope envelope;
        cluster.broadcast(envelope);
        if (envelope.name[0] == 0) return;
        cluster.gather(run(cluster, envelope));
    }
}

void give_end() {
    Envelope envelope;
    the_cluster().broadcast(envelope);
}

} // namespace mxk::cluster
