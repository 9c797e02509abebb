// One object for each of some cores, on that core's node and in cache lines of its own: what a core writes shares no
// line with what another one reads. Place i belongs to the i-th core that it was made for; where that is all cores of
// the machine, a place is a core's number. Nothing in it moves. Move-only; destroys its objects.
//
//     auto counters = MXK_TRY(PerCore<Counter>::create(owners, [&](std::size_t place) { return Counter(place); }));
//     counters[place].add(1);
//     for (Counter const& counter : counters) sum += counter.value();
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk {

template <typename T> class PerCore {
    struct alignas(std::max(cache_line_bytes, alignof(T))) Place {
        template <typename Make>
        explicit Place(Make& make)
            : object(make()) {}
        T object;
    };
    using Places = NodeVector<NodeVector<Place>>; // one in each

  public:
    class Iterator {
      public:
        using difference_type = std::ptrdiff_t;
        using value_type = T;

        Iterator() = default;
        explicit Iterator(NodeVector<Place> const* place)
            : place_(place) {}
        T& operator*() const { return (*place_)[0].object; }
        T* operator->() const { return &**this; }
        Iterator& operator++() {
            ++place_;
            return *this;
        }
        Iterator operator++(int) { return Iterator(place_++); }
        bool operator==(Iterator const&) const = default;

      private:
        NodeVector<Place> const* place_ = nullptr;
    };

    // For no core; holds no memory.
    PerCore() = default;

    // `cores`: whose elements have a `node`: topology cores, workers' places, a table's owners. make(place), or make(),
    // gives each object; what it gives need not be movable. The calling core constructs them all, one after the other.
    // Errors and callers as NodeArray::create.
    template <std::ranges::sized_range Cores, typename Make> static Result<PerCore> create(Cores&& cores, Make make) {
        if (std::ranges::empty(cores)) return PerCore();
        PerCore result = MXK_TRY(with_room(std::ranges::size(cores), (*std::ranges::begin(cores)).node));
        for (auto&& core : cores) {
            auto const added = result.add_made(core.node, [&, place = result.size()]() -> T {
                if constexpr (std::is_invocable_v<Make, std::size_t>)
                    return make(place);
                else
                    return make();
            });
            if (!added) return added.error();
        }
        return result;
    }

    // Room for the objects of `capacity` cores, to be added in the order of their places: where making one can fail.
    // `node`: of who looks them up. Errors and callers as NodeArray::create.
    static Result<PerCore> with_room(std::size_t capacity, NodeId node) {
        PerCore result;
        result.places_ = MXK_TRY(Places::create(capacity, node));
        return result;
    }

    // The object of the next place, on `node`. Errors: no memory; then nothing was added and no argument moved from.
    template <typename... Arguments> Result<T*> add(NodeId node, Arguments&&... arguments) {
        return add_made(node, [&]() -> T { return T(std::forward<Arguments>(arguments)...); });
    }

    [[nodiscard]] std::size_t size() const { return places_.size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] T& operator[](std::size_t place) const { return places_[place][0].object; }
    // Made for all cores of the machine.
    [[nodiscard]] T& operator[](CoreId core) const { return (*this)[index(core)]; }
    [[nodiscard]] Iterator begin() const { return Iterator(places_.begin()); }
    [[nodiscard]] Iterator end() const { return Iterator(places_.end()); }

  private:
    template <typename Make> Result<T*> add_made(NodeId node, Make make) {
        auto room = MXK_TRY(NodeVector<Place>::create(1, node));
        return &places_.emplace(std::move(room)).emplace(make).object;
    }

    Places places_;
};

} // namespace mxk
