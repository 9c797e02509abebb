// Batches between a client and the owners of regions: each operation is done once, and answered once, in the order in
// which the client submitted it; what is refused finds room again; and when all is at rest nothing is held. An owner
// that does not run for a while is one whose batches come home late.
#include <gtest/gtest.h>

#include <vector>

#include "tests/model/batch_use.hpp"

namespace mxk::test {
namespace {

constexpr char const* asks_memory = "asks the memory for lines";
constexpr char const* shortcut = "a shorter way to the same";
constexpr char const* of_pace = "of clients with a pace, where it is noticed";
constexpr char const* of_others = "noticed where operations are deferred";
constexpr char const* runs_sooner = "what is deferred runs sooner";
constexpr char const* home_later = "it goes home with the next one";
constexpr char const* anew = "the position is computed anew";
constexpr char const* of_large = "long: ten operations and a reserve";

TEST(Model, Batches) {
    using enum Operation;
    using enum Submits;
    BatchUse<FixedRegions<PlainMap>> use;
    std::vector<Step> const four{{Insert, 0}, {Insert, 1}, {Find, 0}, {Find, 1}};
    std::vector<Step> const seven{{Insert, 0}, {Insert, 1}, {Insert, 2}, {Find, 0}, {Find, 3}, {Find, 2}, {Erase, 1}};
    std::vector<Step> const ten{{Insert, 0}, {Insert, 1}, {Insert, 2}, {Find, 0},  {Find, 3},
                                {Find, 2},   {Erase, 1},  {Erase, 2},  {Erase, 0}, {Find, 0}};
    std::vector<Step> const kinds{{Insert, 0}, {Insert, 1}, {Insert, 2}, {Erase, 0}, {Erase, 3},
                                  {Erase, 2},  {Find, 1},   {Find, 2},   {Find, 0}};
    std::vector<Step> const each{{Insert, 0}, {Insert, 1}, {Insert, 2}, {Insert, 3},
                                 {Insert, 4}, {Find, 4},   {Erase, 1},  {Find, 1}};
    std::vector<Step> const mixed{{Insert, 0}, {Find, 0},   {Erase, 0},  {Upsert, 0}, {Upsert, 0}, {Find, 0},
                                  {Modify, 0}, {Modify, 1}, {Update, 0}, {Find, 0},   {Erase, 0},  {Update, 0}};
    Protocol("batches")
        .use(use.use("one", {.phases = {{{Insert, 0}}}}))
        .use(use.use("full ones", {.phases = {seven}}))
        .use(use.use("full ones, in turns", {.phases = {seven}, .submits = InTurns, .round = 1}))
        .use(use.use("full ones, spare", {.phases = {kinds}, .spare = 1, .has_avx2 = true}))
        .use(use.use("each", {.phases = {each}, .submits = Each}))
        .use(use.use("each of two regions", {.phases = {seven}, .regions = 2, .submits = Each}))
        .use(use.use("mixed", {.phases = {mixed}, .flushes = true}))
        .use(use.use("overwrites", {.phases = {{{Upsert, 0}, {Upsert, 0}, {Upsert, 1}, {Upsert, 0}}}}))
        .use(use.use("a cut", {.phases = {{{Find, 0}, {Upsert, 0}, {Modify, 0}}}, .spare = 1, .has_avx2 = true}))
        .use(use.use("no cut", {.phases = {{{Insert, 0}, {Find, 0}, {Upsert, 0}}}}))
        .use(use.use("two regions", {.phases = {seven}, .regions = 2, .spare = 1}))
        .use(use.use("reserve", {.phases = {seven}, .reserve = 1}))
        .use(use.use("reserve, twice", {.phases = {four, four}, .reserve = 1}))
        .use(use.use("a larger reserve", {.phases = {seven}, .spare = 1, .reserve = 2}))
        .use(use.use("reserve, ten", {.phases = {ten}, .reserve = 1, .is_long = true}))
        .use(use.use("no memory for a reserve", {.phases = {four}, .reserve = 1, .has_memory = false}))
        .use(use.use("two regions, each apart", {.phases = {seven}, .regions = 2, .reserve = 1, .submits = Apart}))
        .use(use.use(
            "two owners",
            {.phases =
                 {{{Insert, 0}, {Insert, 1}, {Insert, 2}, {Find, 0}, {Find, 1}, {Find, 2}, {Erase, 0}, {Erase, 2}}},
             .regions = 2,
             .reserve = 1,
             .submits = Apart,
             .cores = 3,
             .is_long = true}))
        .check({"batch,", "batch_client,", "batch_supply,", "batch_server,", "descheduled_owner,"},
               {{"batch_client, become_idle() condition 1: always", of_pace},
                {"batch_client, become_idle() condition 1: never", of_pace},
                {"batch_client, ask_for_idle_now() condition: never", of_pace},
                {"batch_client, open() condition 1: always", "of a pace: how many are under way, which it only limits"},
                {"batch_client, change_kind() condition: never", "a batch of one kind may be one of several"},
                {"batch_client, submit_to() condition 4: always", "a batch of one kind may be one of several"},
                {"batch_client, complete() condition 1: always", asks_memory},
                {"batch_client, complete() condition 1: never", asks_memory},
                {"batch_client, complete() condition 2: always", "calls nobody"},
                {"batch_client, copy() condition 1: always", shortcut},
                {"batch_client, copy() condition 2: always", shortcut},
                {"batch_client, copy() condition 2: never", "no operation is of that kind"},
                {"batch_client, copy() condition 3: never", shortcut},
                {"batch_client, copy() condition 4: always", shortcut},
                {"batch_client, copy() condition 5: always", "writes what the owner of a find overwrites"},
                {"batch_client, look_for_absence() condition 5: always", "nobody has asked meanwhile"},
                {"batch_client, look_for_absence() condition 3: never", of_large},
                {"batch_client, send() condition 2: never", shortcut},
                {"batch_client, settle() condition 1: never", "nobody is absent where nothing is lent"},
                {"batch_client, submit_each() condition 1: never", shortcut},
                {"batch_client, submit_overwrite() condition 9: never", "it is empty then"},
                {"batch_client, submit_to() condition 3: always", "writes what the owner of a find overwrites"},
                {"batch_client, when_room() condition 2: always", of_large},
                {"batch_server, arrive() condition 1: always", asks_memory},
                {"batch_server, arrive() condition 1: never", asks_memory},
                {"batch_server, arrive() condition 3: always",
                 "not tried: an owner gives a part away while its own client sends"},
                {"batch_server, ask_for_values()*", asks_memory},
                {"batch_server, finish() condition 1: never", "noticed where owners change"},
                {"batch_server, finish() condition 2: never", "it waits for a next one, which saves time"},
                {"batch_server, overwrite() condition 3: always", "what nobody looks at"},
                {"batch_server, return_to_client() condition 2*", asks_memory},
                {"batch_server, run() condition 1: always", asks_memory},
                {"batch_server, run() condition 1: never", shortcut},
                {"batch_server, run() condition 2: never", shortcut},
                {"batch_server, run() condition 3: never", shortcut},
                {"batch_server, run() condition 4: never", shortcut},
                {"batch_server, run() condition 5: always", "it is the way of all kinds"},
                {"batch_server, run() condition 6: never", asks_memory},
                {"batch_server, run() condition 7*", asks_memory},
                {"batch_server, run() condition 8: never", asks_memory},
                {"batch_server, run() condition 9*", asks_memory},
                {"batch_server, run() condition 12: never", asks_memory},
                {"batch_server, run<*", of_others},
                {"batch_supply, fill_reserve() condition 1: never", "nobody watches an owner without a reserve"},
                {"descheduled_owner, look() condition 2: never", "it is not asked then"},
                {"descheduled_owner, refused() condition 2: always", of_large},
                {"descheduled_owner, stop_watching() condition: always", "the absence ends when all has come back"},
                {"descheduled_owner, stop_watching() condition: never", "looks for those who wait again"}});
}

// Of tables where some operations wait for a second line.
TEST(Model, DeferredBatches) {
    using enum Operation;
    BatchUse<FixedRegions<BehindMap>> use;
    std::vector<Step> const first{{Insert, 1}, {Insert, 2}, {Insert, 3}};
    Protocol("deferred operations")
        .use(use.use("one", {.phases = {first, {{Find, 2}, {Erase, 2}, {Find, 0}, {Find, 2}}}, .spare = 1}))
        .use(use.use("come to the front", {.phases = {first,
                                                      {{Erase, 2},
                                                       {Erase, 4},
                                                       {Find, 0}, // together
                                                       {Erase, 3},
                                                       {Find, 0},
                                                       {Find, 0},
                                                       {Find, 3}}},
                                           .spare = 4}))
        .use(use.use("are displaced", {.phases = {first,
                                                  {{Insert, 5},
                                                   {Find, 0},
                                                   {Find, 0}, // together
                                                   {Erase, 2},
                                                   {Find, 0},
                                                   {Find, 0},
                                                   {Find, 2}}},
                                       .spare = 4}))
        .use(use.use("move", {.phases = {first,
                                         {{Find, 0},
                                          {Erase, 2},
                                          {Find, 3}, // together
                                          {Erase, 3},
                                          {Erase, 1},
                                          {Find, 2},
                                          {Find, 3},
                                          {Find, 0},
                                          {Find, 0}}},
                              .spare = 4}))
        .use(use.use("move, and then a short batch",
                     {.phases = {first, {{Erase, 2}, {Find, 0}, {Erase, 1}, {Find, 2}}}, .spare = 2}))
        .check({"deferred,", "batch_positions,", "batch_server, run() condition 2:", "batch_server, run() condition 3:",
                "batch_server, run_", "batch_server, run<", "batch_server, complete_deferred", "batch_server, operate"},
               {{"batch_positions, ask() condition 1: never", anew},
                {"batch_positions, ask() condition 2: always", anew},
                {"batch_positions, ask() condition 2: never", "is_valid() says so, too: moves only grow"},
                {"batch_positions, ask() condition 3: always", shortcut},
                {"batch_positions, ask() condition 5: never", asks_memory},
                {"batch_positions, is_valid() condition: never", anew},
                {"batch_positions, is_behind() condition: always", "defers none"},
                {"batch_positions, is_behind() condition: never", "defers all, in their order"},
                {"batch_server, run_before() condition: always", home_later},
                {"batch_server, run() condition 2: always", runs_sooner},
                {"batch_server, run() condition 3: always", runs_sooner},
                {"batch_server, run<*", "each is deferred, or none, or found anew"},
                {"batch_server, complete_deferred() condition 2: always", runs_sooner},
                {"batch_server, complete_deferred() condition 3: always", runs_sooner},
                {"batch_server, complete_deferred() condition 4: always", runs_sooner},
                {"batch_server, complete_deferred() condition 5: always", runs_sooner},
                {"batch_server, run_all<*", anew},
                {"deferred, add() condition: never", runs_sooner},
                {"deferred, none() condition: never", home_later},
                {"deferred, may_meet() condition: always", runs_sooner},
                {"deferred, is_current() condition 1: never", runs_sooner},
                {"deferred, is_current() condition 2: never", runs_sooner},
                {"deferred, is_valid() condition: never", anew}});
}

// Of clients with a cap on the time until results are home. A look at the time takes 100'000.
TEST(Model, PacedBatches) {
    using enum Operation;
    using enum Submits;
    BatchUse<FixedRegions<PlainMap>, BatchPace> use;
    std::vector<Step> const seven{{Insert, 0}, {Insert, 1}, {Insert, 2}, {Find, 0}, {Find, 3}, {Find, 2}, {Erase, 1}};
    Protocol("batches with a pace")
        .use(use.use("no cap", {.phases = {seven}}))
        .use(use.use("a small cap", {.phases = {seven}, .submits = InTurns, .cap = Cycles{400'000}, .round = 1}))
        .use(use.use("a large cap", {.phases = {seven}, .submits = InTurns, .cap = Cycles{2'000'000}, .round = 1}))
        .check({"batch_pace, has_cap()", "batch_pace, is_due()", "batch_client, become_idle() condition 1:",
                "batch_client, become_idle() condition 2:", "batch_client, ask_for_idle_now()",
                "batch_client, send_due()"},
               {{"batch_client, become_idle() condition 1: always", "without a cap it comes when the core is idle"},
                {"batch_client, become_idle() condition 2: always", "what is not due leaves later"},
                {"batch_client, ask_for_idle_now() condition: always", "it leaves sooner"}});
}

// Of shards.
TEST(Model, BatchesOfShards) {
    using enum Operation;
    BatchUse<Shards> use;
    Protocol("batches of shards")
        .use(use.use("one more owner", {.phases = {{{Insert, 1}}}, .changes = {2}, .behind = {{Find, 1}}}))
        .use(use.use("one less owner",
                     {.phases = {{}}, .owners = 2, .changes = {1}, .last = {{Insert, 1}}, .behind = {{Find, 1}}}))
        .check({"batch_server, arrive() condition 1:", "batch_server, arrive() condition 2:",
                "batch_server, finish() condition 1:", "batch_server, BeforeChange()"},
               {{"batch_server, arrive() condition 1: always", "must_park() says that it need not"},
                {"batch_server, arrive() condition 2: always",
                 "parks what need not wait; it goes on when all have come"}});
}

} // namespace
} // namespace mxk::test
