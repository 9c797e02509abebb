#include "bench/peers/cost_peer_command.hpp"

namespace mxk::bench {

void pass_safe_point() {
    struct Breath : Task {
        Breath()
            : Task([](Worker&, Task& task) { static_cast<Breath&>(task).taken = true; }) {}
        bool taken = false;
    };
    Breath breath;
    Worker::current().append(breath);
    Worker::current().run_until([&] { return breath.taken; });
}

std::string text_of(std::string_view who, std::string_view what, std::string_view why) {
    return std::string(who).append(what.empty() ? "" : " ").append(what).append(": ").append(why);
}

} // namespace mxk::bench
