#include "main/library/table_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/crc32.hpp"

namespace mxk::table_file {
namespace {

constexpr std::size_t buffer_bytes = 1 << 20;

struct Head {
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t sum; // of the head, with 0 here
    char key;
    char value;
    std::array<char, 2> unused;
    std::uint32_t key_bytes;
    std::uint32_t value_bytes;
    std::uint32_t pairs_sum;
    std::uint64_t pairs;
    std::uint64_t bytes; // behind the head
    std::array<char, 16> unused_too;
};
static_assert(sizeof(Head) == 64 && std::is_trivially_copyable_v<Head>);

constexpr std::array<char, 8> magic{'m', 'x', 'k', 't', 'a', 'b', 'l', 'e'};
constexpr std::uint32_t version = 1;

std::string_view as_text(void const* bytes, std::size_t size) {
    return {static_cast<char const*>(bytes), size};
}
std::uint32_t sum_of(Head head) {
    head.sum = 0;
    return crc32(as_text(&head, sizeof head));
}

// As much as fits: an error's text is short.
std::string_view end_of(std::string const& path) {
    constexpr std::size_t max = 100;
    return std::string_view(path).substr(path.size() - std::min(path.size(), max));
}
Error system_error(std::string const& path, char const* what, int reason) {
    std::array<char, 64> text{};
    return Error::of("{}: {}: {}", end_of(path), what, strerror_r(reason, text.data(), text.size()));
}

bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t const written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}
// Fewer where the file ends; none: an error.
std::optional<std::size_t> read_some(int file, char* bytes, std::size_t size) {
    std::size_t got = 0;
    while (got < size) {
        ssize_t const count = ::read(file, bytes + got, size - got);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::nullopt;
        if (count == 0) break;
        got += static_cast<std::size_t>(count);
    }
    return got;
}

// "u64", "text", "72 bytes".
FixedText<24> name_of(Kind const& kind) {
    FixedText<24> text;
    if (kind.name == 't')
        text.append("text");
    else if (kind.name == 'n')
        text.append("nothing");
    else if (kind.name == 'b')
        format(text, "{} bytes", kind.bytes);
    else
        format(text, "{}{}", kind.name, kind.bytes * 8);
    return text;
}

} // namespace

Result<Writer> Writer::create(std::string path, Kinds const& kinds) {
    std::string beside = path + ".XXXXXX";
    int const file = ::mkostemp(beside.data(), O_CLOEXEC);
    if (file < 0) return system_error(path, "cannot be written", errno);
    mode_t const mask = ::umask(0);
    ::umask(mask);
    (void)::fchmod(file, 0666 & ~mask); // as a file that is opened for writing
    Writer writer(std::move(path), std::move(beside), file, kinds);
    Head const none{};
    writer.buffer_.insert(writer.buffer_.end(), sizeof none, '\0');
    return writer;
}

Writer::Writer(std::string path, std::string beside, int file, Kinds const& kinds)
    : path_(std::move(path))
    , beside_(std::move(beside))
    , file_(file)
    , kinds_(kinds) {
    buffer_.reserve(buffer_bytes);
}
Writer::Writer(Writer&& other) noexcept
    : path_(std::move(other.path_))
    , beside_(std::move(other.beside_))
    , file_(std::exchange(other.file_, -1))
    , kinds_(other.kinds_)
    , buffer_(std::move(other.buffer_))
    , pairs_(other.pairs_)
    , bytes_(other.bytes_)
    , sum_(other.sum_)
    , failed_(other.failed_)
    , reason_(other.reason_) {}

Writer::~Writer() {
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(beside_.c_str());
}

void Writer::write(void const* bytes, std::size_t size) {
    std::string_view const text = as_text(bytes, size);
    sum_ = crc32(text, sum_);
    bytes_ += size;
    if (buffer_.size() + size > buffer_bytes) flush();
    if (size > buffer_bytes) {
        if (failed_ == nullptr && !write_all(file_, text)) fail("cannot be written");
        return;
    }
    buffer_.insert(buffer_.end(), text.begin(), text.end());
}
void Writer::flush() {
    if (failed_ == nullptr && !write_all(file_, as_text(buffer_.data(), buffer_.size()))) fail("cannot be written");
    buffer_.clear();
}
void Writer::fail(char const* what) {
    failed_ = what;
    reason_ = errno;
}
Error Writer::error() const {
    return system_error(path_, failed_, reason_);
}

Result<std::size_t> Writer::finish() {
    flush();
    Head head{.magic = magic,
              .version = version,
              .sum = 0,
              .key = kinds_.key.name,
              .value = kinds_.value.name,
              .unused = {},
              .key_bytes = kinds_.key.bytes,
              .value_bytes = kinds_.value.bytes,
              .pairs_sum = sum_,
              .pairs = pairs_,
              .bytes = bytes_,
              .unused_too = {}};
    head.sum = sum_of(head);
    if (failed_ == nullptr && ::pwrite(file_, &head, sizeof head, 0) != sizeof head) fail("cannot be written");
    if (failed_ == nullptr && ::fsync(file_) != 0) fail("cannot be brought to the disk");
    if (failed_ == nullptr && ::rename(beside_.c_str(), path_.c_str()) != 0) fail("cannot be put in its place");
    if (failed_ != nullptr) return error();
    ::close(std::exchange(file_, -1));
    // The folder's entry, too; where that is not possible, the file is there all the same.
    std::size_t const slash = path_.rfind('/');
    std::string const folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
    if (int const opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); opened >= 0) {
        (void)::fsync(opened);
        ::close(opened);
    }
    return static_cast<std::size_t>(pairs_);
}

Reader::Reader(std::string path, int file)
    : path_(std::move(path))
    , file_(file) {}
Reader::Reader(Reader&& other) noexcept
    : path_(std::move(other.path_))
    , file_(std::exchange(other.file_, -1))
    , pairs_(other.pairs_)
    , left_(other.left_)
    , buffer_(std::move(other.buffer_))
    , at_(other.at_)
    , sum_(other.sum_)
    , wanted_sum_(other.wanted_sum_)
    , reason_(other.reason_) {}
Reader::~Reader() {
    if (file_ >= 0) ::close(file_);
}

Result<Reader> Reader::open(std::string path, Kinds const& kinds) {
    // Does not wait where a pipe or a device would.
    int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return system_error(path, "cannot be read", errno);
    Reader reader(std::move(path), file);
    struct stat status {};
    Head head{};
    auto const got = read_some(file, reinterpret_cast<char*>(&head), sizeof head);
    if (!got || ::fstat(file, &status) != 0) return system_error(reader.path_, "cannot be read", errno);
    if (*got < sizeof head || head.magic != magic)
        return Error::of("{}: expected a table that mxk::save() has written", end_of(reader.path_));
    if (head.version != version)
        return Error::of("{}: expected a table's file of version {}, got {}", end_of(reader.path_), version,
                         head.version);
    if (head.sum != sum_of(head)) return reader.damaged("the head's check sum is another one");
    Kinds const its{{head.key, head.key_bytes}, {head.value, head.value_bytes}};
    if (its != kinds)
        return Error::of("{}: expected keys of {} and values of {}, got {} and {}", end_of(reader.path_),
                         name_of(kinds.key).view(), name_of(kinds.value).view(), name_of(its.key).view(),
                         name_of(its.value).view());
    if (static_cast<std::uint64_t>(status.st_size) != sizeof head + head.bytes)
        return Error::of("{}: damaged: expected {} bytes, got {}", end_of(reader.path_), sizeof head + head.bytes,
                         static_cast<std::uint64_t>(status.st_size));
    std::uint64_t const min_pair =
        (kinds.key.name == 't' ? sizeof(std::uint32_t) : kinds.key.bytes) + kinds.value.bytes;
    if (head.pairs > head.bytes / min_pair) return reader.damaged("it has fewer pairs than it says");
    reader.pairs_ = head.pairs;
    reader.left_ = head.bytes;
    reader.wanted_sum_ = head.pairs_sum;
    return reader;
}

bool Reader::fill() {
    std::size_t const size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_bytes));
    buffer_.resize(size);
    at_ = 0;
    auto const got = size != 0 ? read_some(file_, buffer_.data(), size) : std::optional<std::size_t>(0);
    if (!got) reason_ = errno;
    buffer_.resize(got.value_or(0));
    left_ = got && *got == size ? left_ - size : 0;
    sum_ = crc32({buffer_.data(), buffer_.size()}, sum_);
    return !buffer_.empty();
}
bool Reader::read(void* bytes, std::size_t size) {
    auto* to = static_cast<char*>(bytes);
    while (size != 0) {
        if (at_ == buffer_.size() && !fill()) return false;
        std::size_t const now = std::min(size, buffer_.size() - at_);
        std::memcpy(to, buffer_.data() + at_, now);
        at_ += now;
        to += now;
        size -= now;
    }
    return true;
}
Result<void> Reader::finish() {
    if (reason_ != 0) return system_error(path_, "cannot be read", reason_);
    if (at_ != buffer_.size() || left_ != 0) return damaged("it has more than its pairs");
    if (sum_ != wanted_sum_) return damaged("the pairs' check sum is another one");
    return {};
}
Error Reader::damaged(std::string_view what) const {
    return Error::of("{}: damaged: {}", end_of(path_), what);
}

} // namespace mxk::table_file
