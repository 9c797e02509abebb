// Functions that run on a certain core, or where data lies; what they fork begins there, and idle cores nearby are the
// first to steal it.
//
//     auto const sum = run_at(at(&column[0]), [&] { return parallel_reduce(0, column.size(), ...); });
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "tasks/fork/entry.hpp"

namespace mxk {

class ForkPlace {
  public:
    // The core for it; none of those that a Runtime's resize() has left out, but where it is named. Errors: there is no
    // such core or node, or none that runs tasks by itself; nobody knows where the data lies.
    [[nodiscard]] Result<CoreId> core() const;

  private:
    friend ForkPlace on(CoreId core);
    friend ForkPlace on(NodeId node);
    friend ForkPlace at(void const* data);
    enum class Kind : std::uint8_t { Core, Node, Data };
    ForkPlace(Kind kind, std::size_t number, void const* data)
        : kind_(kind)
        , number_(number)
        , data_(data) {}

    Kind kind_;
    std::size_t number_;
    void const* data_;
};
inline ForkPlace on(CoreId core) {
    return {ForkPlace::Kind::Core, index(core), nullptr};
}
// Some core of that node, another one each time; in a task of that node the caller's.
inline ForkPlace on(NodeId node) {
    return {ForkPlace::Kind::Node, index(node), nullptr};
}
// Some core of the node on which that memory lies: MXK's, or the program's own once it was touched.
inline ForkPlace at(void const* data) {
    return {ForkPlace::Kind::Data, 0, data};
}

// Gives function(), called there. In a task, whose core goes on with other tasks meanwhile, or in a thread. What it
// throws is thrown here. Errors: as ForkPlace::core(); it was called in something that is forked, which waits for no
// other core's task.
template <typename Function>
auto run_at(ForkPlace place, Function&& function) -> Result<std::invoke_result_t<Function&>> {
    CoreId const core = MXK_TRY(place.core());
    ForkCore* const own = ForkCore::current();
    bool const is_here = own != nullptr && Worker::current().core() == core;
    if (!is_here && own != nullptr && own->is_within())
        return Error("run_at: expected a call that is not within what is forked, which waits for nothing");
    if constexpr (std::is_void_v<std::invoke_result_t<Function&>>) {
        is_here ? function() : forks::call_on(core, function);
        return {};
    } else {
        return is_here ? function() : forks::call_on(core, function);
    }
}

} // namespace mxk
