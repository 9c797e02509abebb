#include "bench/figures/figure.hpp"

#include "base/format.hpp"

namespace mxk::bench {
namespace {

void print_number(TextSink& out, Statement::Kind kind, double value) {
    switch (kind) {
    case Statement::Kind::Ratio: return format(out, "{:.2}", value);
    case Statement::Kind::Change: return format(out, "{}{:.1} %", value < 0 ? "" : "+", value * 100);
    case Statement::Kind::Count: return format(out, "{:.0}", value);
    }
}

} // namespace

void print_expected(TextSink& out, Statement const& statement) {
    if (statement.low != 0) print_number(out, statement.kind, statement.low);
    if (statement.high == Statement::no_limit) return out.write(" or more");
    out.write(statement.low != 0 ? " to " : "up to ");
    print_number(out, statement.kind, statement.high);
}

void print_value(TextSink& out, Statement const& statement, double value) {
    print_number(out, statement.kind, value);
}

} // namespace mxk::bench
