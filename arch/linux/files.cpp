#include "arch/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace mxk::arch {
namespace {

// Closed with the scope.
class OpenFile {
  public:
    // Does not wait where a pipe or a device would.
    explicit OpenFile(std::string const& path)
        : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
    ~OpenFile() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    OpenFile(OpenFile const&) = delete;
    OpenFile& operator=(OpenFile const&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }

  private:
    int descriptor_;
};

// The reason first: a long path may be cut.
Error failure(std::string_view what, int error, std::string_view path) {
    return Error::of("{}: {}: '{}'", what, std::system_category().message(error), path);
}

// Reads until `memory` is full or the file ends; how many bytes, or -1 with errno set.
ssize_t read_whole(int descriptor, std::span<std::byte> memory) {
    std::size_t at = 0;
    while (at < memory.size()) {
        ssize_t const count = pread(descriptor, memory.data() + at, memory.size() - at, static_cast<off_t>(at));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -1;
        if (count == 0) break;
        at += static_cast<std::size_t>(count);
    }
    return static_cast<ssize_t>(at);
}

} // namespace

Result<FileKind> file_kind(std::string_view path) {
    struct stat status {};
    if (stat(std::string(path).c_str(), &status) != 0) return failure("cannot look at it", errno, path);
    if (S_ISREG(status.st_mode)) return FileKind::File;
    if (S_ISDIR(status.st_mode)) return FileKind::Directory;
    return Error::of("expected a file or a directory, got something else: '{}'", path);
}

Result<std::span<std::string_view>> file_names(std::string_view directory, Arena& arena) {
    std::error_code error;
    std::vector<std::string> found;
    std::filesystem::directory_iterator entry(std::filesystem::path(directory), error);
    while (!error && entry != std::filesystem::directory_iterator()) {
        std::error_code unknown; // what cannot be looked at is no regular file
        if (entry->is_regular_file(unknown)) found.push_back(entry->path().filename().string());
        entry.increment(error);
    }
    if (error) return failure("cannot list the directory", error.value(), directory);
    std::sort(found.begin(), found.end());

    std::span<std::string_view> const names = MXK_TRY(arena.array<std::string_view>(found.size()));
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::span<char> const kept = MXK_TRY(arena.array<char>(found[i].size()));
        std::copy(found[i].begin(), found[i].end(), kept.begin());
        names[i] = {kept.data(), kept.size()};
    }
    return names;
}

Result<std::span<std::byte const>> read_file(std::string_view path, std::size_t max_bytes, Arena& arena) {
    OpenFile const file{std::string(path)};
    struct stat status {};
    if (file.descriptor() < 0 || fstat(file.descriptor(), &status) != 0) return failure("cannot open", errno, path);
    if (!S_ISREG(status.st_mode)) return Error::of("expected a regular file, got something else: '{}'", path);

    // One byte more than it should have, so that one knows where it ended; what grew meanwhile is read again.
    std::size_t room = std::min(static_cast<std::size_t>(status.st_size), max_bytes) + 1;
    for (;;) {
        std::span<std::byte> const memory = MXK_TRY(arena.array<std::byte>(room));
        ssize_t const count = read_whole(file.descriptor(), memory);
        if (count < 0) return failure("cannot read", errno, path);
        auto const bytes = static_cast<std::size_t>(count);
        if (bytes < room) return std::span<std::byte const>(memory.first(bytes));
        if (room > max_bytes) return Error::of("expected up to {} MiB, got more: '{}'", max_bytes / MiB, path);
        room = std::min(std::max<std::size_t>(2 * room, 4 * KiB), max_bytes + 1);
    }
}

} // namespace mxk::arch
