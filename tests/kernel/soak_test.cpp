#include "tests/soak/soak.hpp"

#include "kernel/testing.hpp"

namespace mxk {
namespace {

MXK_TEST(threads, soak_briefly) {
    soak({.seconds = 2, .with = ""});
}
MXK_TEST(threads, soak_with_all_parts_briefly) {
    soak({.seconds = 2, .with = "rcu,cht,cht_lines,workq"});
}
MXK_LONG_TEST(threads, soak_for_ten_minutes) {
    soak({.seconds = 600, .with = "rcu,cht,cht_lines,workq"});
}

} // namespace
} // namespace mxk
