// Containers whose memory comes from the core that fills them, and goes back to it from the core that empties them.
#include <mxk/heap_resource.hpp>
#include <mxk/runtime.hpp>
#include <mxk/tasks/run_on.hpp>

#include <array>
#include <cstddef>
#include <iostream>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

namespace {

using Names = std::pmr::vector<std::pmr::string>;
constexpr std::size_t names_of_each = 10'000;

Names make_names(std::size_t core) {
    Names names(mxk::heap::resource());
    for (std::size_t i = 0; i < names_of_each; ++i) {
        std::pmr::string& name = names.emplace_back("name ");
        name.append(std::to_string(i)).append(" of many that were made by core ").append(std::to_string(core));
    }
    return names;
}

} // namespace

int main() {
    auto started = mxk::Runtime::start({.cores = 2});
    if (!started) {
        std::cerr << "own_memory: " << started.error().message() << '\n';
        return 1;
    }
    bool is_done = false;
    std::array<std::size_t, 2> characters{};
    started.value().run([&](mxk::Worker&) {
        std::vector<Names> made(2);
        std::array const cores{mxk::core_id(0), mxk::core_id(1)};
        is_done = mxk::run_on(cores,
                              [&](mxk::Worker&, std::size_t place) {
                                  made[place] = make_names(place);
                                  return mxk::Step::Done;
                              }) &&
                  mxk::run_on(cores, [&](mxk::Worker&, std::size_t place) {
                      Names const others =
                          std::move(made[1 - place]); // this core frees what the other one has allocated
                      for (auto const& name : others) characters[place] += name.size();
                      return mxk::Step::Done;
                  });
    });
    if (!is_done) {
        std::cerr << "own_memory: no memory for the tasks\n";
        return 1;
    }
    std::cout << "each core has read " << characters[0] << " and " << characters[1] << " characters of the other's\n";
    return 0;
}
