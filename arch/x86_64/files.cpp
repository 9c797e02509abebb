#include "arch/files.hpp"

namespace mxk::arch {
namespace {

Error no_files(std::string_view path) {
    return Error::of("the bare machine has no files; use the Linux program mxk for '{}'", path);
}

} // namespace

Result<FileKind> file_kind(std::string_view path) {
    return no_files(path);
}

Result<std::span<std::string_view>> file_names(std::string_view directory, Arena&) {
    return no_files(directory);
}

Result<std::span<std::byte const>> read_file(std::string_view path, std::size_t, Arena&) {
    return no_files(path);
}

} // namespace mxk::arch
