// Files that a command is pointed to. A bare machine has none: every function is an error that says so. See
// arch/linux/arch/files.hpp for the meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "base/result.hpp"

namespace mxk::arch {

enum class FileKind : std::uint8_t { File, Directory };

Result<FileKind> file_kind(std::string_view path);

Result<std::span<std::string_view>> file_names(std::string_view directory, Arena& arena);

Result<std::span<std::byte const>> read_file(std::string_view path, std::size_t most_bytes, Arena& arena);

} // namespace mxk::arch
