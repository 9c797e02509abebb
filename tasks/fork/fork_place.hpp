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
    // The core for it; of those that a Runtime's resize() has left out only the caller's, or one that is named. Errors:
    // there is no such core or node, or none that runs tasks by itself; nobody knows where the data lies.
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
// throws is thrown here. Errors: as ForkPlace::core(); it is called in something that is forked, or beside a ForkGroup,
// which wait for no other core's tasks; eight tasks of the calling core wait already, one within the other.
template <typename Function>
auto run_at(ForkPlace place, Function&& function) -> Result<std::invoke_result_t<Function&>> {
    using Value = std::invoke_result_t<Function&>;
    CoreId const core = MXK_TRY(place.core());
    ForkCore* const own = ForkCore::current();
    auto const call = [&](auto&& run) -> Result<Value> {
        if constexpr (std::is_void_v<Value>) {
            run();
            return {};
        } else {
            return run();
        }
    };
    if (own == nullptr) return call([&] { return forks::call_on(core, function); });
    if (Worker::current().core() == core) return call(function);
    ForkCore::TaskWait const wait(*own);
    if (!wait.is_allowed())
        return Error("run_at: expected a task that forks nothing meanwhile, and up to 8 that wait on a core");
    return call([&] { return forks::call_on(core, function); });
}

} // namespace mxk
