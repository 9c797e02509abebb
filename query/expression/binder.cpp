// Program::add(): types, ranges and lanes of a tree's nodes, and the instructions for them.
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "query/expression/expression_program.hpp"
#include "query/expression/shown_names.hpp"
#include "query/expression/wide.hpp"

namespace mxk::query {

Lane Program::Value::lane() const {
    if (type.kind == Kind::U64) return range.fits_64_bits() ? Lane::I64 : Lane::I128;
    return lane_of(type.kind);
}

class Binder {
    using Node = Expression::Node;
    using Operation = Expression::Operation;
    using Code = Program::Code;
    using Value = Program::Value;

  public:
    Binder(Program& program, Schema const& schema)
        : program_(program)
        , schema_(schema) {}

    Result<Value> bind(Node const& node) {
        switch (node.operation) {
        case Operation::Column: return bind_column(node);
        case Operation::Constant: return bind_constant(node.constant);
        case Operation::Add:
        case Operation::Subtract:
        case Operation::Multiply: return bind_arithmetic(node);
        case Operation::Equal:
        case Operation::NotEqual:
        case Operation::Less:
        case Operation::LessOrEqual: return bind_comparison(node);
        case Operation::And:
        case Operation::Or: return bind_logic(node);
        case Operation::Not: return bind_not(MXK_TRY(bind(*node.operands[0])));
        case Operation::IsNull: return bind_is_null(node);
        case Operation::Choose: return bind_choice(node);
        case Operation::StartsWith: return bind_text(node, Code::StartsWith, "starts_with");
        case Operation::Contains: return bind_text(node, Code::Contains, "contains");
        case Operation::TooLarge: break;
        }
        return Error::of("expected an expression of up to {} levels and {} parts", Expression::max_levels,
                         Expression::max_nodes);
    }

    Result<Value> widen(Value value) {
        if (value.lane() == Lane::I128) return value;
        Program::Register const& from = program_.registers_[value.at];
        if (from.is_constant) {
            Program::Register wide = from;
            wide.lane = Lane::I128;
            value.at = MXK_TRY(add_register(wide));
        } else {
            value.at =
                MXK_TRY(emit({.code = Code::Widen, .lane = Lane::I64, .a = value.at}, Lane::I128, value.is_nullable));
        }
        value.type.kind = Kind::Decimal128;
        return value;
    }

  private:
    // ---- registers and instructions

    Result<std::uint8_t> add_register(Program::Register const& wanted) {
        std::size_t const count = program_.register_count_;
        if (wanted.is_constant) {
            auto const* const begin = program_.registers_.data();
            if (auto const* const same = std::find(begin, begin + count, wanted); same != begin + count)
                return static_cast<std::uint8_t>(same - begin);
        }
        if (count == Program::max_registers)
            return Error::of("expected expressions of up to {} values together", Program::max_registers);
        program_.registers_[count] = wanted;
        ++program_.register_count_;
        return static_cast<std::uint8_t>(count);
    }
    // `result`: the lane of what it gives.
    Result<std::uint8_t> emit(Program::Instruction instruction, Lane result, bool is_nullable) {
        for (std::size_t i = 0; i < program_.instruction_count_; ++i)
            if (program_.instructions_[i].is_same(instruction)) return program_.instructions_[i].to;
        instruction.to = MXK_TRY(add_register({.lane = result, .is_nullable = is_nullable}));
        program_.instructions_[program_.instruction_count_++] = instruction;
        return instruction.to;
    }

    // ---- leaves

    Result<Value> bind_column(Node const& node) {
        Field const& field = *MXK_TRY(schema_.find(node.name.view()));
        Value value{.type = field.type, .is_nullable = field.is_nullable(), .range = field.range};
        value.at = MXK_TRY(emit({.code = Code::Load,
                                 .lane = value.lane(),
                                 .storage = field.storage,
                                 .a = field.values,
                                 .b = field.validity},
                                value.lane(), value.is_nullable));
        return value;
    }
    Result<Value> bind_constant(Constant const& constant) {
        Value value{.type = constant.type,
                    .is_nullable = constant.is_null,
                    .range = {.low = constant.number, .high = constant.number}};
        MXK_TRY(check_scale(constant.type));
        if (Range const dates = full_range(Kind::Date);
            constant.type.kind == Kind::Date && (constant.number < dates.low || constant.number > dates.high))
            return too_many_days();
        Range const range =
            constant.type.kind == Kind::Bool ? Range{.low = 0, .high = 1} : full_range(constant.type.kind);
        bool const is_counted = is_whole(constant.type.kind) || constant.type.kind == Kind::Bool;
        if (is_counted && (constant.number < range.low || constant.number > range.high))
            return Error::of("expected a constant of {} that fits its type, got one that does not",
                             name_of(constant.type).view());
        if (constant.type.kind == Kind::Decimal128 && value.range.fits_64_bits()) value.type.kind = Kind::Decimal;
        value.at = MXK_TRY(add_register({.lane = value.lane(),
                                         .is_nullable = constant.is_null,
                                         .is_constant = true,
                                         .number = constant.number,
                                         .real = constant.real,
                                         .text = constant.text}));
        return value;
    }

    static Error too_many_days() { return Error("expected dates within 32 bits of days, got more days than fit"); }

    // ---- types that meet

    Result<Value> to_real(Value value) {
        if (value.lane() == Lane::F64) return value;
        value.at = MXK_TRY(emit({.code = Code::ToReal, .lane = value.lane(), .a = value.at, .b = value.type.scale},
                                Lane::F64, value.is_nullable));
        value.type = {.kind = Kind::F64};
        return value;
    }
    // A decimal with more digits behind the point.
    Result<Value> rescale(Value const& value, std::uint8_t scale) {
        if (value.type.scale == scale) return value;
        Int128 factor = 1;
        for (unsigned digit = value.type.scale; digit < scale; ++digit) factor *= 10;
        Program::Register const from = program_.registers_[value.at];
        if (from.is_constant && !from.is_nullable) {
            if (Int128 product = 0; !wide::multiply(from.number, factor, product))
                return bind_constant({.type = {.kind = Kind::Decimal128, .scale = scale}, .number = product});
        }
        Value const times = MXK_TRY(bind_constant(
            {.type = {.kind = Kind::Decimal128, .scale = static_cast<std::uint8_t>(scale - value.type.scale)},
             .number = factor}));
        return compute(Code::Multiply, value, times, scale, true);
    }
    // Both become of one scale and lane, or both floating-point numbers.
    Result<void> unify(Value& a, Value& b) {
        if (a.lane() == Lane::F64 || b.lane() == Lane::F64) {
            a = MXK_TRY(to_real(a));
            b = MXK_TRY(to_real(b));
            return {};
        }
        std::uint8_t const scale = std::max(a.type.scale, b.type.scale);
        a = MXK_TRY(rescale(a, scale));
        b = MXK_TRY(rescale(b, scale));
        return unify_lanes(a, b);
    }
    Result<void> unify_lanes(Value& a, Value& b) {
        if (a.lane() == b.lane()) return {};
        a = MXK_TRY(widen(a));
        b = MXK_TRY(widen(b));
        return {};
    }
    // Types other than numbers: they are the same, or a constant is made to fit.
    Result<void> unify_others(Value& a, Value& b, Node const& first, Node const& second) {
        a = MXK_TRY(as_character(a, first, b));
        b = MXK_TRY(as_character(b, second, a));
        if (a.type == b.type) return {};
        return Error::of("expected values of one type, got {} and {}", name_of(a.type).view(), name_of(b.type).view());
    }
    // A text constant beside a character.
    Result<Value> as_character(Value const& value, Node const& node, Value const& other) {
        if (value.type.kind != Kind::Text || other.type.kind != Kind::Character ||
            node.operation != Operation::Constant)
            return value;
        std::string_view const text = node.constant.text;
        if (!node.constant.is_null && text.size() != 1)
            return Error::of("expected one character to compare with, got '{}'", shown(text).view());
        return bind_constant({.type = other.type,
                              .is_null = node.constant.is_null,
                              .number = text.empty() ? 0 : static_cast<unsigned char>(text.front())});
    }
    // Also NULL without a type of its own, which null_of() gives of any kind.
    Result<void> unify_all(Value& a, Value& b, Node const& first, Node const& second) {
        if (is_number(a.type.kind) && is_number(b.type.kind)) return unify(a, b);
        return unify_others(a, b, first, second);
    }

    // ---- operations

    static Range range_of(Code code, Range const& a, Range const& b, bool& is_open) {
        Range range;
        auto const spread = [&](Int128 x, Int128 y, bool is_first) {
            Int128 result = 0;
            bool const overflows = code == Code::Add        ? wide::add(x, y, result)
                                   : code == Code::Subtract ? wide::subtract(x, y, result)
                                                            : wide::multiply(x, y, result);
            is_open = is_open || overflows;
            range.low = is_first ? result : std::min(range.low, result);
            range.high = is_first ? result : std::max(range.high, result);
        };
        spread(a.low, b.low, true);
        spread(a.low, b.high, false);
        spread(a.high, b.low, false);
        spread(a.high, b.high, false);
        if (is_open) range = full_range(Kind::Decimal128);
        return range;
    }
    // Of whole numbers; the operands of a sum are of one scale.
    Result<Value> compute(Code code, Value a, Value b, std::uint8_t scale, bool is_decimal) {
        bool is_open = false;
        Range const range = range_of(code, a.range, b.range, is_open);
        Value result{.type = whole_type(range, is_decimal, scale),
                     .is_nullable = a.is_nullable || b.is_nullable,
                     .range = range};
        if (result.lane() == Lane::I128) {
            a = MXK_TRY(widen(a));
            b = MXK_TRY(widen(b));
        } else if (a.lane() == Lane::I128 || b.lane() == Lane::I128) { // a difference of wide numbers may be small
            a = MXK_TRY(widen(a));
            b = MXK_TRY(widen(b));
            result.type.kind = Kind::Decimal128;
        }
        result.at = MXK_TRY(emit({.code = code, .lane = a.lane(), .is_checked = is_open, .a = a.at, .b = b.at},
                                 a.lane(), result.is_nullable));
        return result;
    }
    Result<Value> bind_arithmetic(Node const& node) {
        Value a = MXK_TRY(bind(*node.operands[0]));
        Value b = MXK_TRY(bind(*node.operands[1]));
        Code const code = node.operation == Operation::Add        ? Code::Add
                          : node.operation == Operation::Subtract ? Code::Subtract
                                                                  : Code::Multiply;
        if (a.type.kind == Kind::Date || b.type.kind == Kind::Date) return bind_dates(code, a, b);
        if (!is_number(a.type.kind) || !is_number(b.type.kind))
            return Error::of("expected numbers to compute with, got {} and {}", name_of(a.type).view(),
                             name_of(b.type).view());
        if (a.lane() == Lane::F64 || b.lane() == Lane::F64) {
            MXK_TRY(unify(a, b));
            Value result{.type = {.kind = Kind::F64}, .is_nullable = a.is_nullable || b.is_nullable};
            result.at =
                MXK_TRY(emit({.code = code, .lane = Lane::F64, .a = a.at, .b = b.at}, Lane::F64, result.is_nullable));
            return result;
        }
        bool const of_decimals = is_decimal(a.type.kind) || is_decimal(b.type.kind);
        if (code == Code::Multiply) {
            unsigned const scale = unsigned{a.type.scale} + b.type.scale;
            if (scale > max_decimal_scale)
                return Error::of("expected a product of scale 0 to {}, got {}", max_decimal_scale, scale);
            return compute(code, a, b, static_cast<std::uint8_t>(scale), of_decimals);
        }
        MXK_TRY(unify(a, b));
        return compute(code, a, b, a.type.scale, of_decimals);
    }
    // A date and a number of days, or two dates.
    Result<Value> bind_dates(Code code, Value const& a, Value const& b) {
        bool const are_dates = a.type.kind == Kind::Date && b.type.kind == Kind::Date;
        Value const& days = a.type.kind == Kind::Date ? b : a;
        bool const are_days = is_number(days.type.kind) && is_whole(days.type.kind) && days.type.scale == 0;
        bool const fits = code == Code::Subtract ? are_dates || (a.type.kind == Kind::Date && are_days)
                                                 : code == Code::Add && are_days;
        if (!fits)
            return Error::of("expected a date and a number of days, or the difference of two dates, got {} and {}",
                             name_of(a.type).view(), name_of(b.type).view());
        Value result = MXK_TRY(compute(code, a, b, 0, false));
        if (are_dates) return result;
        Range const dates = full_range(Kind::Date);
        if (result.range.low < dates.low || result.range.high > dates.high) return too_many_days();
        result.type = {.kind = Kind::Date};
        return result;
    }

    Result<Value> bind_comparison(Node const& node) {
        Value a = MXK_TRY(bind(*node.operands[0]));
        Value b = MXK_TRY(bind(*node.operands[1]));
        MXK_TRY(unify_all(a, b, *node.operands[0], *node.operands[1]));
        Code const code = node.operation == Operation::Less          ? Code::Less
                          : node.operation == Operation::LessOrEqual ? Code::LessOrEqual
                                                                     : Code::Equal;
        Value result{.type = {.kind = Kind::Bool}, .is_nullable = a.is_nullable || b.is_nullable};
        result.at =
            MXK_TRY(emit({.code = code, .lane = a.lane(), .a = a.at, .b = b.at}, Lane::Bool, result.is_nullable));
        return node.operation == Operation::NotEqual ? bind_not(result) : Result<Value>(result);
    }
    static Result<void> expect_bool(Value const& value) {
        if (value.type.kind == Kind::Bool) return {};
        return Error::of("expected a condition, got {}", name_of(value.type).view());
    }
    Result<Value> bind_logic(Node const& node) {
        Value const a = MXK_TRY(bind(*node.operands[0]));
        Value const b = MXK_TRY(bind(*node.operands[1]));
        MXK_TRY(expect_bool(a));
        MXK_TRY(expect_bool(b));
        Value result{.type = {.kind = Kind::Bool}, .is_nullable = a.is_nullable || b.is_nullable};
        result.at =
            MXK_TRY(emit({.code = node.operation == Operation::And ? Code::And : Code::Or, .a = a.at, .b = b.at},
                         Lane::Bool, result.is_nullable));
        return result;
    }
    Result<Value> bind_not(Value const& a) {
        MXK_TRY(expect_bool(a));
        Value result = a;
        result.at = MXK_TRY(emit({.code = Code::Not, .a = a.at}, Lane::Bool, a.is_nullable));
        return result;
    }
    Result<Value> bind_is_null(Node const& node) {
        Value const a = MXK_TRY(bind(*node.operands[0]));
        Value result{.type = {.kind = Kind::Bool}};
        result.at = MXK_TRY(emit({.code = Code::IsNull, .a = a.at}, Lane::Bool, false));
        return result;
    }
    Result<Value> bind_choice(Node const& node) {
        Value const condition = MXK_TRY(bind(*node.operands[0]));
        MXK_TRY(expect_bool(condition));
        Value a = MXK_TRY(bind(*node.operands[1]));
        Value b = MXK_TRY(bind(*node.operands[2]));
        bool const of_decimals = is_decimal(a.type.kind) || is_decimal(b.type.kind);
        bool const are_numbers = is_number(a.type.kind) && is_number(b.type.kind);
        MXK_TRY(unify_all(a, b, *node.operands[1], *node.operands[2]));
        Value result{
            .type = a.type,
            .is_nullable = a.is_nullable || b.is_nullable,
            .range = {.low = std::min(a.range.low, b.range.low), .high = std::max(a.range.high, b.range.high)}};
        if (are_numbers && a.lane() != Lane::F64) {
            result.type = whole_type(result.range, of_decimals, a.type.scale);
            if (a.lane() == Lane::I128) result.type.kind = Kind::Decimal128;
        } else if (are_numbers) {
            result.type = {.kind = Kind::F64};
        }
        result.at = MXK_TRY(emit({.code = Code::Choose, .lane = a.lane(), .a = condition.at, .b = a.at, .c = b.at},
                                 a.lane(), result.is_nullable));
        return result;
    }
    Result<Value> bind_text(Node const& node, Code code, std::string_view name) {
        Value const a = MXK_TRY(bind(*node.operands[0]));
        Value const b = MXK_TRY(bind(*node.operands[1]));
        if (a.type.kind != Kind::Text || b.type.kind != Kind::Text)
            return Error::of("{}: expected two texts, got {} and {}", name, name_of(a.type).view(),
                             name_of(b.type).view());
        Value result{.type = {.kind = Kind::Bool}, .is_nullable = a.is_nullable || b.is_nullable};
        result.at =
            MXK_TRY(emit({.code = code, .lane = Lane::Text, .a = a.at, .b = b.at}, Lane::Bool, result.is_nullable));
        return result;
    }

    Program& program_;
    Schema const& schema_;
};

Result<Program::Value> Program::add(Expression const& expression, Schema const& schema) {
    if (expression.root() == nullptr) return Error("expected an expression, got none (or there is no memory)");
    return Binder(*this, schema).bind(*expression.root());
}

Result<Program::Value> Program::widen(Value const& value) {
    Schema const no_columns;
    return Binder(*this, no_columns).widen(value);
}

} // namespace mxk::query
