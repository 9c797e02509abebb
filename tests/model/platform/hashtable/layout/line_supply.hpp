// hashtable/layout/line_supply.hpp for the model checker: lines of a run's memory, and those that were given back
// first. Two cores that use one at a time race.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/layout/pair_line.hpp"
#include "kernel/memory/memory.hpp"
#include "tests/model/model_memory.hpp"

namespace mxk {

class LineSupply {
  public:
    explicit LineSupply(NodeId /*node*/) {}
    LineSupply(LineSupply&& /*other*/) noexcept {} // before it is used
    LineSupply& operator=(LineSupply&&) = delete;
    ~LineSupply() = default;

    static Result<void> reserve(std::size_t /*lines*/) { return {}; }
    [[nodiscard]] PairLine* take() {
        PairLine* line = freed_;
        if (line != nullptr) {
            freed_ = reinterpret_cast<PairLine*>(line->link());
        } else {
            auto const room = memory::allocate(sizeof(PairLine), alignof(PairLine), NodeId{});
            if (!room) return nullptr;
            line = new (reinterpret_cast<void*>(room.value().address)) PairLine();
        }
        ++in_use_;
        return line;
    }
    void give_back(PairLine& line) {
        line.set_link(reinterpret_cast<std::uintptr_t>(freed_.read()));
        freed_ = &line;
        --in_use_;
    }
    static void set_node(NodeId) {}
    [[nodiscard]] std::size_t in_use() const { return in_use_; }
    [[nodiscard]] static std::size_t made() { return 0; }

  private:
    test::ModelPlain<PairLine*> freed_{nullptr};
    test::ModelPlain<std::size_t> in_use_{0};
};

} // namespace mxk
