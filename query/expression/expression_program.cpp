#include "query/expression/expression_program.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "query/expression/order.hpp"
#include "query/expression/wide.hpp"
#include "tasks/dataflow/graph/graph_memory.hpp"

namespace mxk::query {
namespace {

using Row = dataflow::Envelope::Row;

constexpr std::size_t alignment = cache_line_bytes;

std::size_t room_of(Lane lane) {
    return Program::chunk * bytes_of(lane);
}

template <typename T> void fill(void* place, T value) {
    std::fill_n(static_cast<T*>(place), Program::chunk, value);
}

} // namespace

Result<void> Registers::prepare(Program const& program) {
    if (memory_ != nullptr) return {};
    std::size_t bytes = alignment;
    for (std::size_t i = 0; i < program.register_count_; ++i)
        bytes += room_of(program.registers_[i].lane) + (program.registers_[i].is_nullable ? Program::chunk : 0);
    memory_ = dataflow::graph_memory::allocate(bytes, alignment);
    if (memory_ == nullptr) return Error("out of memory: no room for an expression's values");
    bytes_ = bytes;
    auto* next = static_cast<std::byte*>(memory_);
    for (std::size_t i = 0; i < program.register_count_; ++i) {
        Program::Register const& made = program.registers_[i];
        values_[i] = own_[i] = next;
        next += room_of(made.lane);
        if (made.is_nullable) {
            validity_[i] = reinterpret_cast<std::uint8_t*>(next);
            next += Program::chunk;
        }
        if (!made.is_constant) continue;
        if (made.is_nullable) std::memset(validity_[i], 0, Program::chunk);
        switch (made.lane) {
        case Lane::Bool: fill(own_[i], static_cast<std::uint8_t>(made.number)); break;
        case Lane::I64: fill(own_[i], static_cast<std::int64_t>(made.number)); break;
        case Lane::I128: fill(own_[i], made.number); break;
        case Lane::F64: fill(own_[i], made.real); break;
        case Lane::Text: fill(own_[i], made.text); break;
        }
    }
    return {};
}

Registers::~Registers() {
    if (memory_ != nullptr) dataflow::graph_memory::deallocate(memory_, bytes_, alignment);
}

// One chunk. Every operation is one loop over dense values.
class Run {
    using Code = Program::Code;
    using Instruction = Program::Instruction;

  public:
    Run(Registers& registers, dataflow::Envelope const& rows, std::uint32_t first, std::uint32_t count)
        : registers_(registers)
        , rows_(rows)
        , chosen_(rows.selection ? rows.selection.values<Row>() + first : nullptr)
        , first_(first)
        , count_(count) {}

    Result<void> execute(Instruction const& instruction) {
        switch (instruction.code) {
        case Code::Load: load(instruction); break;
        case Code::Widen:
            each<std::int64_t, Int128>(instruction, [](std::int64_t value) { return Int128{value}; });
            break;
        case Code::ToReal: to_real(instruction); break;
        case Code::Add:
        case Code::Subtract:
        case Code::Multiply: return compute(instruction);
        case Code::Equal: compare(instruction, [](auto const& a, auto const& b) { return order::equal(a, b); }); break;
        case Code::Less: compare(instruction, [](auto const& a, auto const& b) { return order::less(a, b); }); break;
        case Code::LessOrEqual:
            compare(instruction, [](auto const& a, auto const& b) { return !order::less(b, a); });
            break;
        case Code::And: logic(instruction, 1); break;
        case Code::Or: logic(instruction, 0); break;
        case Code::Not:
            each<std::uint8_t, std::uint8_t>(instruction,
                                             [](std::uint8_t value) { return static_cast<std::uint8_t>(value ^ 1U); });
            break;
        case Code::IsNull: is_null(instruction); break;
        case Code::Choose: with_lane(instruction.lane, [&]<typename T>(T /*type*/) { choose<T>(instruction); }); break;
        case Code::StartsWith:
            pairs<std::string_view, std::uint8_t>(instruction, [](std::string_view text, std::string_view prefix) {
                return static_cast<std::uint8_t>(text.starts_with(prefix));
            });
            break;
        case Code::Contains:
            pairs<std::string_view, std::uint8_t>(instruction, [](std::string_view text, std::string_view part) {
                return static_cast<std::uint8_t>(text.find(part) != std::string_view::npos);
            });
            break;
        }
        return {};
    }

  private:
    template <typename T> [[nodiscard]] T const* values(std::uint8_t at) const { return registers_.values<T>(at); }
    template <typename T> [[nodiscard]] T* result(Instruction const& instruction) const {
        registers_.values_[instruction.to] = registers_.own_[instruction.to];
        return static_cast<T*>(registers_.own_[instruction.to]);
    }

    // ---- NULL

    void copy_validity(Instruction const& instruction) {
        if (std::uint8_t* const to = registers_.validity_[instruction.to]; to != nullptr)
            std::memcpy(to, registers_.validity(instruction.a), count_);
    }
    void join_validity(Instruction const& instruction) {
        std::uint8_t* const to = registers_.validity_[instruction.to];
        if (to == nullptr) return;
        std::uint8_t const* const a = registers_.validity(instruction.a);
        std::uint8_t const* const b = registers_.validity(instruction.b);
        if (a == nullptr || b == nullptr) {
            std::memcpy(to, a != nullptr ? a : b, count_);
            return;
        }
        for (std::uint32_t i = 0; i < count_; ++i) to[i] = a[i] & b[i];
    }

    // ---- shapes of loops

    template <typename From, typename To, typename Function>
    void each(Instruction const& instruction, Function function) {
        From const* const from = values<From>(instruction.a);
        To* const to = result<To>(instruction);
        for (std::uint32_t i = 0; i < count_; ++i) to[i] = function(from[i]);
        copy_validity(instruction);
    }
    template <typename From, typename To, typename Function>
    void pairs(Instruction const& instruction, Function function) {
        From const* const a = values<From>(instruction.a);
        From const* const b = values<From>(instruction.b);
        To* const to = result<To>(instruction);
        for (std::uint32_t i = 0; i < count_; ++i) to[i] = function(a[i], b[i]);
        join_validity(instruction);
    }

    // ---- columns

    // What stands where a value is NULL may be anything: 0 stands there from now on, which every range has after it was
    // made to. What an expression makes of it has a place in its range, too, and is no value.
    template <typename From, typename To> void load_as(Instruction const& instruction) {
        From const* const from = rows_.values<From>(instruction.a);
        std::uint8_t* const valid = registers_.validity_[instruction.to];
        if (chosen_ == nullptr && valid == nullptr && std::is_same_v<From, To>) {
            registers_.values_[instruction.to] = from + first_;
            return;
        }
        To* const to = result<To>(instruction);
        auto const widened = [](From value) { return static_cast<To>(value); }; // NOLINT(bugprone-signed-char-misuse)
        if (chosen_ == nullptr)
            for (std::uint32_t i = 0; i < count_; ++i) to[i] = widened(from[first_ + i]);
        else
            for (std::uint32_t i = 0; i < count_; ++i) to[i] = widened(from[chosen_[i]]);
        if (valid == nullptr) return;
        auto const* const of_column = rows_.values<std::uint8_t>(instruction.b);
        for (std::uint32_t i = 0; i < count_; ++i) {
            valid[i] = of_column[chosen_ == nullptr ? first_ + i : chosen_[i]];
            if (valid[i] == 0) to[i] = To{};
        }
    }
    void load(Instruction const& instruction) {
        bool const is_wide = instruction.lane == Lane::I128;
        switch (instruction.storage) {
        case Storage::U8:
            if (instruction.lane == Lane::Bool) return load_as<std::uint8_t, std::uint8_t>(instruction);
            return load_as<std::uint8_t, std::int64_t>(instruction);
        case Storage::U16: return load_as<std::uint16_t, std::int64_t>(instruction);
        case Storage::U32: return load_as<std::uint32_t, std::int64_t>(instruction);
        case Storage::U64:
            if (is_wide) return load_as<std::uint64_t, Int128>(instruction);
            return load_as<std::uint64_t, std::int64_t>(instruction);
        case Storage::I8: return load_as<std::int8_t, std::int64_t>(instruction);
        case Storage::I16: return load_as<std::int16_t, std::int64_t>(instruction);
        case Storage::I32: return load_as<std::int32_t, std::int64_t>(instruction);
        case Storage::I64: return load_as<std::int64_t, std::int64_t>(instruction);
        case Storage::I128: return load_as<Int128, Int128>(instruction);
        case Storage::F32: return load_as<float, double>(instruction);
        case Storage::F64: return load_as<double, double>(instruction);
        case Storage::Text: return load_as<std::string_view, std::string_view>(instruction);
        }
    }

    // ---- operations

    void to_real(Instruction const& instruction) {
        double const divisor = wide::unit_of(instruction.b);
        if (instruction.lane == Lane::I128)
            each<Int128, double>(instruction, [=](Int128 value) { return wide::to_double(value) / divisor; });
        else
            each<std::int64_t, double>(instruction,
                                       [=](std::int64_t value) { return static_cast<double>(value) / divisor; });
    }
    Result<void> compute(Instruction const& instruction) {
        switch (instruction.lane) {
        case Lane::I64: // the ranges prove that it fits
            compute_as<std::uint64_t>(instruction);
            break;
        case Lane::I128:
            if (instruction.is_checked) return compute_checked(instruction);
            compute_as<wide::Unsigned>(instruction);
            break;
        default: compute_as<double>(instruction); break;
        }
        return {};
    }
    template <typename T> void compute_as(Instruction const& instruction) {
        switch (instruction.code) {
        case Code::Add: return pairs<T, T>(instruction, [](T a, T b) { return a + b; });
        case Code::Subtract: return pairs<T, T>(instruction, [](T a, T b) { return a - b; });
        default: return pairs<T, T>(instruction, [](T a, T b) { return a * b; });
        }
    }
    Result<void> compute_checked(Instruction const& instruction) {
        auto const function = instruction.code == Code::Add        ? &wide::add
                              : instruction.code == Code::Subtract ? &wide::subtract
                                                                   : &wide::multiply;
        Int128 const* const a = values<Int128>(instruction.a);
        Int128 const* const b = values<Int128>(instruction.b);
        Int128* const to = result<Int128>(instruction);
        join_validity(instruction);
        std::uint8_t const* const valid = registers_.validity(instruction.to);
        bool has_overflowed = false;
        for (std::uint32_t i = 0; i < count_; ++i) {
            Int128 value = 0;
            bool const overflows = function(a[i], b[i], value);
            has_overflowed = has_overflowed || (overflows && (valid == nullptr || valid[i] != 0));
            to[i] = value;
        }
        if (has_overflowed) return Error("overflow: a result has more than 127 bits");
        return {};
    }
    template <typename Function> void compare(Instruction const& instruction, Function function) {
        with_lane(instruction.lane, [&]<typename T>(T /*type*/) {
            pairs<T, std::uint8_t>(instruction,
                                   [=](T const& a, T const& b) { return static_cast<std::uint8_t>(function(a, b)); });
        });
    }
    // And: false as soon as one is false (`neutral` 1); or: true as soon as one is true (0). Otherwise NULL where one
    // is.
    void logic(Instruction const& instruction, std::uint8_t neutral) {
        auto const* const a = values<std::uint8_t>(instruction.a);
        auto const* const b = values<std::uint8_t>(instruction.b);
        std::uint8_t const* const a_valid = registers_.validity(instruction.a);
        std::uint8_t const* const b_valid = registers_.validity(instruction.b);
        std::uint8_t* const to_valid = registers_.validity_[instruction.to];
        auto* const to = result<std::uint8_t>(instruction);
        if (to_valid == nullptr) {
            for (std::uint32_t i = 0; i < count_; ++i)
                to[i] = static_cast<std::uint8_t>(neutral != 0 ? a[i] & b[i] : a[i] | b[i]);
            return;
        }
        for (std::uint32_t i = 0; i < count_; ++i) {
            bool const has_a = a_valid == nullptr || a_valid[i] != 0;
            bool const has_b = b_valid == nullptr || b_valid[i] != 0;
            bool const decides = (has_a && a[i] != neutral) || (has_b && b[i] != neutral);
            to[i] = decides ? static_cast<std::uint8_t>(neutral ^ 1U) : neutral;
            to_valid[i] = decides || (has_a && has_b) ? 1 : 0;
        }
    }
    void is_null(Instruction const& instruction) {
        std::uint8_t const* const valid = registers_.validity(instruction.a);
        auto* const to = result<std::uint8_t>(instruction);
        for (std::uint32_t i = 0; i < count_; ++i)
            to[i] = valid == nullptr ? std::uint8_t{0} : static_cast<std::uint8_t>(valid[i] ^ 1U);
    }
    template <typename T> void choose(Instruction const& instruction) {
        auto const* const condition = values<std::uint8_t>(instruction.a);
        std::uint8_t const* const is_known = registers_.validity(instruction.a);
        T const* const a = values<T>(instruction.b);
        T const* const b = values<T>(instruction.c);
        std::uint8_t const* const a_valid = registers_.validity(instruction.b);
        std::uint8_t const* const b_valid = registers_.validity(instruction.c);
        std::uint8_t* const to_valid = registers_.validity_[instruction.to];
        T* const to = result<T>(instruction);
        for (std::uint32_t i = 0; i < count_; ++i) {
            bool const is_first = condition[i] != 0 && (is_known == nullptr || is_known[i] != 0);
            to[i] = is_first ? a[i] : b[i];
            if (to_valid == nullptr) continue;
            std::uint8_t const* const valid = is_first ? a_valid : b_valid;
            to_valid[i] = valid == nullptr ? std::uint8_t{1} : valid[i];
        }
    }

    Registers& registers_;
    dataflow::Envelope const& rows_;
    Row const* chosen_; // null: all rows
    std::uint32_t first_;
    std::uint32_t count_;
};

Result<void> Program::run(Registers& registers, dataflow::Envelope const& rows, std::uint32_t first,
                          std::uint32_t count) const {
    Run run(registers, rows, first, count);
    for (std::size_t i = 0; i < instruction_count_; ++i) MXK_TRY(run.execute(instructions_[i]));
    return {};
}

} // namespace mxk::query
