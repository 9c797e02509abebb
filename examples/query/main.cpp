// What each of three shops has sold: groups of rows that lie in arrays of the program's own, one of which has a NULL.
#include <mxk/query/plan/plan.hpp>
#include <mxk/runtime.hpp>
#include <mxk/tasks/dataflow/scheduler.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <string_view>
#include <vector>

namespace {

using namespace mxk::query;

// Text for an ostream.
struct Output final : mxk::TextSink {
    void write(std::string_view text) override { std::cout << text; }
};

mxk::Result<void> run(mxk::Runtime const& runtime) {
    constexpr std::size_t rows = 300'000;
    std::vector<std::int32_t> shop(rows), price(rows), pieces(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        shop[row] = static_cast<std::int32_t>(row % 3);
        price[row] = static_cast<std::int32_t>(row % 1000); // in cents
        pieces[row] = 2;
    }
    std::vector<std::uint8_t> is_known(rows / 8, 0xff); // a bit for each row, as Arrow has them
    is_known[0] = 0xf7;                                 // the price of row 3 is NULL
    Source sold("sold", rows);
    std::array<SourceColumn, 3> const columns{
        {{.name = mxk::FixedText<32>("shop"), .type = {Kind::I32}, .storage = Storage::I32, .values = shop.data()},
         {.name = mxk::FixedText<32>("price"),
          .type = {Kind::Decimal, 2},
          .storage = Storage::I32,
          .values = price.data(),
          .validity = is_known.data()},
         {.name = mxk::FixedText<32>("pieces"),
          .type = {Kind::I32},
          .storage = Storage::I32,
          .values = pieces.data()}}};
    for (SourceColumn const& each : columns)
        if (auto added = sold.add(each); !added) return added;

    std::size_t const cores = runtime.topology().cores.size();
    Answer answer;
    Plan plan({.cores = cores, .parts = 2 * cores});
    auto const scanned = plan.scan("sold", sold, std::array<std::string_view, 3>{"shop", "price", "pieces"});
    auto const some = plan.filter("paid for", scanned, column("price") > decimal(0, 2));
    std::array<NamedExpression, 1> const by{{{"shop", column("shop")}}};
    std::array<Aggregate, 3> const of{{{"sales", Function::Count, {}},
                                       {"turnover", Function::Sum, column("price") * column("pieces")},
                                       {"highest", Function::Max, column("price")}}};
    auto const groups = plan.group_by("shops", some, by, of);
    plan.answer("answer", plan.order_by("order", groups, std::array<OrderKey, 1>{{{"turnover", true}}}), answer);
    if (auto checked = plan.check(); !checked) return checked; // what is wrong with it, and with which step

    std::vector<mxk::CoreId> all;
    for (auto const& core : runtime.topology().cores) all.push_back(core.id);
    auto scheduler = mxk::dataflow::Scheduler::create(all, {});
    if (!scheduler) return scheduler.error();
    mxk::dataflow::Query query(plan.model());
    scheduler.value()->submit(query);
    if (auto ended = query.wait(); !ended) return ended;
    Output out;
    for (std::size_t row = 0; row < answer.rows(); ++row)
        for (std::size_t at = 0; at < 4; ++at) {
            answer.write_cell(out, row, at);
            out.write(at == 3 ? "\n" : " ");
        }
    return {};
}

} // namespace

int main() {
    auto runtime = mxk::Runtime::start({.own_threads = true});
    mxk::Result<void> const result = runtime.ok() ? run(runtime.value()) : runtime.error();
    if (!result) std::cerr << "query: " << result.error().message() << '\n';
    return result.ok() ? 0 : 1;
}
