// Expressions bound to the columns of an envelope: instructions, each of which computes a chunk of rows at a time in a
// plain loop, so that what is between them stays in the first-level cache. Whole numbers are computed in 64 bits where
// the ranges of the columns prove that these suffice, otherwise in 128; what does not fit these either is an error of
// the request. Nothing wraps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "query/expression/expression.hpp"
#include "query/expression/schema.hpp"
#include "query/expression/type.hpp"
#include "tasks/dataflow/graph/envelope.hpp"

namespace mxk::query {

class Registers;

// Made by one core; any number run it, each with registers of its own. Never blocks.
class Program {
  public:
    static constexpr std::uint32_t chunk = 512; // rows

    // Where a value is, and what is known of it.
    struct Value {
        std::uint8_t at = 0; // a register
        Type type{};
        bool is_nullable = false;
        Range range{}; // of a whole kind

        [[nodiscard]] Lane lane() const;
    };
    // One more value to be computed; what was asked for before is not computed twice. Errors: a column that is missing,
    // types that do not fit, an expression that is too large.
    Result<Value> add(Expression const& expression, Schema const& schema);
    // A whole number that add() has given, in 128 bits.
    Result<Value> widen(Value const& value);

    // The values of the selected rows `first` and on of an envelope of the schema, up to a chunk. Errors: an overflow.
    Result<void> run(Registers& registers, dataflow::Envelope const& rows, std::uint32_t first,
                     std::uint32_t count) const;

  private:
    friend class Registers;
    friend class Binder;
    friend class Run;
    using Operation = Expression::Operation;

    static constexpr std::size_t max_registers = 160;

    struct Register {
        Lane lane = Lane::Bool;
        bool is_nullable = false;
        bool is_constant = false;
        Int128 number = 0; // of a constant
        double real = 0;
        std::string_view text{};

        friend bool operator==(Register const&, Register const&) = default;
    };
    enum class Code : std::uint8_t {
        Load,   // a: column of the envelope, b: of its validity
        Widen,  // I64 to I128
        ToReal, // whole to F64, divided by 10^b
        Add,
        Subtract,
        Multiply,
        Equal,
        Less,
        LessOrEqual,
        And,
        Or,
        Not,
        IsNull,
        Choose,
        StartsWith,
        Contains
    };
    struct Instruction {
        Code code = Code::Load;
        Lane lane = Lane::Bool;        // of its operands
        Storage storage = Storage::U8; // of a Load
        bool is_checked = false;       // may overflow
        std::uint8_t a = 0;
        std::uint8_t b = 0;
        std::uint8_t c = 0;
        std::uint8_t to = 0;

        [[nodiscard]] bool is_same(Instruction other) const {
            other.to = to;
            return other == *this;
        }
        friend bool operator==(Instruction const&, Instruction const&) = default;
    };

    std::array<Register, max_registers> registers_{};
    std::array<Instruction, max_registers> instructions_{};
    std::size_t register_count_ = 0;
    std::size_t instruction_count_ = 0;
};

// The values that one box's program computes. One core at a time.
class Registers {
  public:
    Registers() = default;
    Registers(Registers const&) = delete;
    Registers& operator=(Registers const&) = delete;
    ~Registers();

    // Room for them in the calling core's heap; once more does nothing. Errors: no memory.
    Result<void> prepare(Program const& program);

    template <typename T> [[nodiscard]] T const* values(std::uint8_t at) const {
        return static_cast<T const*>(values_[at]);
    }
    // Bytes, 1 where there is a value; null: of a value that is never NULL.
    [[nodiscard]] std::uint8_t const* validity(std::uint8_t at) const { return validity_[at]; }

  private:
    friend class Program;
    friend class Run;

    std::array<void const*, Program::max_registers> values_{}; // own memory, or the envelope's
    std::array<void*, Program::max_registers> own_{};
    std::array<std::uint8_t*, Program::max_registers> validity_{};
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace mxk::query
