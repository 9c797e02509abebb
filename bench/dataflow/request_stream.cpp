#include "bench/dataflow/request_stream.hpp"

namespace mxk::bench {

Result<void> parse_value(std::string_view text, RequestPlans& plans) {
    constexpr std::uint64_t max_rounds = 1'000'000;
    constexpr std::uint64_t max_at_once = 10'000;
    plans = {};
    for (std::string_view rest = text;;) {
        std::string_view const plan = rest.substr(0, rest.find(','));
        std::size_t const by = plan.find('x');
        if (by == std::string_view::npos)
            return Error::of("expected a number of rounds, x, and of requests at once, got '{}'", plan);
        auto const rounds = MXK_TRY(console::parse_count(plan.substr(0, by), 1, max_rounds));
        auto const at_once = MXK_TRY(console::parse_count(plan.substr(by + 1), 1, max_at_once));
        if (!plans.add({static_cast<std::uint32_t>(rounds), static_cast<std::uint32_t>(at_once)}))
            return Error::of("expected up to {} plans", RequestPlans::capacity);
        if (plan.size() == rest.size()) return {};
        rest.remove_prefix(plan.size() + 1);
    }
}

void print_value(TextSink& out, RequestPlans const& plans) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (i != 0) out.write(",");
        plans[i].print(out);
    }
}

void describe_value(TextSink& out, RequestPlans const& /*plans*/) {
    out.write("COUNTxCOUNT,...");
}

} // namespace mxk::bench
