#include "arch/files.hpp"

#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/module_files.hpp"

namespace mxk::arch {
namespace {

constinit std::span<boot::Module const> files{};

Error no_file(std::string_view path) {
    if (files.empty())
        return Error::of(
            "the bare machine has no files; use the Linux program mxk for '{}', or have the loader bring it "
            "as a module",
            path);
    FixedText<120> names;
    for (boot::Module const& file : files) format(names, "{}'{}'", names.view().empty() ? "" : ", ", file.name);
    return Error::of("expected one of the loader's modules: {}; got '{}'", names.view(), path);
}

// Null: none.
boot::Module const* find_module(std::string_view path) {
    for (boot::Module const& file : files)
        if (file.name == path) return &file;
    return nullptr;
}

} // namespace

void set_module_files(std::span<boot::Module const> modules) {
    files = modules;
}

Result<FileKind> file_kind(std::string_view path) {
    if (find_module(path) == nullptr) return no_file(path);
    return FileKind::File;
}

Result<std::span<std::string_view>> file_names(std::string_view directory, Arena& arena) {
    if (directory != ".") return no_file(directory);
    std::span<std::string_view> const names = MXK_TRY(arena.array<std::string_view>(files.size()));
    for (std::size_t i = 0; i < files.size(); ++i) names[i] = files[i].name;
    return names;
}

// Where the loader put it.
Result<std::span<std::byte const>> read_file(std::string_view path, std::size_t max_bytes, Arena&) {
    boot::Module const* const file = find_module(path);
    if (file == nullptr) return no_file(path);
    if (file->range.bytes > max_bytes) return Error::of("expected up to {} MiB, got more: '{}'", max_bytes / MiB, path);
    return std::span<std::byte const>(to_virtual(file->range.start), file->range.bytes);
}

} // namespace mxk::arch
