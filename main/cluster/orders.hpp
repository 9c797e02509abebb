// How the console of rank 0 has all ranks do something: it gives an order, which is a function registered where it is
// defined and known by its name, with arguments that can be copied as bytes. All ranks run it, on core 0, so it may
// call what is collective; the results come back to rank 0.
//
//     FloodSums flood(Cluster& cluster, FloodArguments const& arguments);
//     constexpr auto flood_order = cluster::order<&flood>("flood");
//     MXK_REGISTER(mxk_cluster_orders, cluster::Order, flood_order);
//     std::vector<FloodSums> const all = cluster::give<&flood>(flood_order, arguments);        // on rank 0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/registry.hpp"
#include "main/cluster/cluster.hpp"

namespace mxk::cluster {

struct Order {
    static constexpr std::size_t max_bytes = 512; // of arguments, and of a result

    std::string_view name;
    void (*run)(Cluster& cluster, std::byte const* arguments, std::byte* result);
};
MXK_REGISTRY(mxk_cluster_orders, Order, registered_orders)

// The program's.
Cluster& the_cluster();
// Rank 0: the results, one rank's behind the other's, Order::max_bytes each.
std::vector<std::byte> give_bytes(std::string_view name, std::span<std::byte const> arguments);
// The other ranks: runs what rank 0 orders, until it ends.
void follow_orders();
// Rank 0: they end.
void give_end();

template <auto function> struct OrderTraits;
template <typename R, typename Arguments, R (*function)(Cluster&, Arguments const&)> struct OrderTraits<function> {
    using Given = Arguments;
    using Returned = R;
    static_assert(std::is_trivially_copyable_v<Arguments> && std::is_trivially_copyable_v<R>);
    static_assert(sizeof(Arguments) <= Order::max_bytes && sizeof(R) <= Order::max_bytes);

    static void run(Cluster& cluster, std::byte const* given, std::byte* result) {
        Arguments arguments{};
        std::memcpy(&arguments, given, sizeof arguments);
        R const returned = function(cluster, arguments);
        std::memcpy(result, &returned, sizeof returned);
    }
};

template <auto function> consteval Order order(std::string_view name) {
    return {name, &OrderTraits<function>::run};
}

// By rank.
template <auto function>
std::vector<typename OrderTraits<function>::Returned> give(Order const& order,
                                                           typename OrderTraits<function>::Given const& arguments) {
    using Returned = typename OrderTraits<function>::Returned;
    std::vector<std::byte> const bytes = give_bytes(order.name, std::as_bytes(std::span(&arguments, 1)));
    std::vector<Returned> results(bytes.size() / Order::max_bytes);
    for (std::size_t i = 0; i < results.size(); ++i)
        std::memcpy(&results[i], bytes.data() + i * Order::max_bytes, sizeof(Returned));
    return results;
}

// What a result may have of an error, as text that ends with a zero; empty: none.
struct ErrorText {
    std::array<char, 232> text{};

    void set(Error const& error) {
        std::string_view const message = error.message().substr(0, text.size() - 1);
        std::copy(message.begin(), message.end(), text.begin());
    }
    [[nodiscard]] std::string_view view() const { return text.data(); }
};

} // namespace mxk::cluster
