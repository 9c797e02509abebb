// Files that a command is pointed to. A bare machine has no others than the modules that its loader brought
// (boot/boot_info.hpp), each by its name and without directories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "base/result.hpp"

namespace mxk::arch {

enum class FileKind : std::uint8_t { File, Directory };

// An error if there is nothing at `path`, or something else (a device, a pipe). Any core; waits for the file system.
Result<FileKind> file_kind(std::string_view path);

// The names of the regular files in a directory, ascending; not of those below it. Lie in `arena`. The bare machine has
// one directory, ".", with the modules in their order.
Result<std::span<std::string_view>> file_names(std::string_view directory, Arena& arena);

// What a regular file holds, in `arena`, or where the loader put it. An error if it cannot be read or has more than
// `max_bytes`. Its size need not be known before: files in /sys have none.
Result<std::span<std::byte const>> read_file(std::string_view path, std::size_t max_bytes, Arena& arena);

} // namespace mxk::arch
