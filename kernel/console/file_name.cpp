#include "kernel/console/file_name.hpp"

#include <array>
#include <cstddef>
#include <string_view>

#include "arch/files.hpp"
#include "base/arena.hpp"
#include "base/units.hpp"

namespace mxk::console {
namespace {

// Of the names of the last completion: candidates are not copied.
alignas(std::max_align_t) constinit std::array<std::byte, 64 * KiB> room{};
constinit bool is_room_taken = false;

std::span<std::byte> take_room(std::size_t bytes) {
    if (is_room_taken || bytes > room.size()) return {};
    is_room_taken = true;
    return room;
}

} // namespace

void complete_file_name(Candidates& candidates) {
    std::string_view const word = candidates.word();
    std::string_view const directory = word.substr(0, word.find_last_of('/') + 1);
    is_room_taken = false;
    Arena names(&take_room);
    auto const files = arch::file_names(directory.empty() ? "." : directory, names);
    if (!files) return;
    for (std::string_view const file : files.value()) candidates.offer(file, directory);
}

} // namespace mxk::console
