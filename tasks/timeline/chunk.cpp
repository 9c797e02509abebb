#include "tasks/timeline/chunk.hpp"

#include <algorithm>

#include "base/base64.hpp"
#include "base/crc32.hpp"
#include "base/format.hpp"
#include "base/panic.hpp"

namespace mxk::timeline {
namespace {

constexpr std::size_t max_number_bytes = 10;
constexpr std::size_t max_event_bytes = 1 + 4 * max_number_bytes;
constexpr std::size_t max_text = 200;

// Numbers the chunks, and gives each on when it is finished.
class Cutter {
  public:
    explicit Cutter(ChunkSink& sink)
        : sink_(sink) {}

    Chunk& begin(ChunkKind kind) {
        chunk_.clear();
        chunk_.put(static_cast<std::uint8_t>(kind));
        return chunk_;
    }
    bool finish() { return sink_.take(number_++, chunk_.bytes()); }

  private:
    ChunkSink& sink_;
    Chunk chunk_;
    std::uint32_t number_ = 0;
};

bool cut_head(Cutter& cutter, Head const& head, std::size_t cores) {
    Chunk& chunk = cutter.begin(ChunkKind::Head);
    for (std::uint64_t const number : {format_version, head.frequency, head.load_offset, std::uint64_t{cores}})
        chunk.put_number(number);
    chunk.put_text(head.platform.substr(0, max_text));
    chunk.put_text(head.build.substr(0, max_text));
    return cutter.finish();
}

bool cut_core(Cutter& cutter, CoreTimeline const& core, std::size_t number) {
    Chunk& chunk = cutter.begin(ChunkKind::Core);
    for (std::uint64_t const each : {std::uint64_t{number}, std::uint64_t{index(core.node())}, core.started(),
                                     core.stopped(), core.idle(), core.lost(), std::uint64_t{core.size()}})
        chunk.put_number(each);
    return cutter.finish();
}

// What an event is told by: the differences to the one before, and to the one before of its kind.
class Before {
  public:
    explicit Before(std::uint64_t time)
        : time_(time) {}

    void put(Chunk& chunk, TimelineEvent const& event) {
        auto const kind = static_cast<std::uint8_t>(event.kind());
        chunk.put(kind);
        chunk.put_difference(time_, event.end());
        chunk.put_number(event.cycles());
        chunk.put_difference(subjects_[kind], event.subject());
        chunk.put_difference(details_[kind], event.detail());
        time_ = event.end();
        subjects_[kind] = event.subject();
        details_[kind] = event.detail();
    }

  private:
    using ByKind = std::array<std::uint64_t, static_cast<std::size_t>(EventKind::Count)>;
    std::uint64_t time_;
    ByKind subjects_{};
    ByKind details_{};
};

bool cut_events(Cutter& cutter, CoreTimeline const& core, std::size_t number) {
    for (std::size_t at = 0; at < core.size();) {
        Chunk& chunk = cutter.begin(ChunkKind::Events);
        for (std::uint64_t const each : {std::uint64_t{number}, std::uint64_t{at}, core.started()})
            chunk.put_number(each);
        Before before(core.started());
        for (; at < core.size() && chunk.room() >= max_event_bytes; ++at) before.put(chunk, core[at]);
        if (!cutter.finish()) return false;
    }
    return true;
}

} // namespace

void Chunk::put(std::uint8_t byte) {
    expect(size_ < capacity, "a chunk has room for what is put into it");
    bytes_[size_++] = std::byte{byte};
}

void Chunk::put_number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) put(static_cast<std::uint8_t>(number | 0x80));
    put(static_cast<std::uint8_t>(number));
}

void Chunk::put_difference(std::uint64_t from, std::uint64_t to) {
    std::uint64_t const difference = to - from;
    put_number(difference << 1 ^ (0 - (difference >> 63)));
}

void Chunk::put_text(std::string_view text) {
    put_number(text.size());
    for (char const character : text) put(static_cast<std::uint8_t>(character));
}

void cut(Recording const& recording, Head const& head, ChunkSink& sink) {
    Cutter cutter(sink);
    std::size_t const cores = recording.cores.size();
    bool wanted = cut_head(cutter, head, cores);
    for (std::size_t i = 0; wanted && i < cores; ++i) wanted = cut_core(cutter, recording.cores[i], i);
    for (std::size_t i = 0; wanted && i < cores; ++i) wanted = cut_events(cutter, recording.cores[i], i);
}

void write_line(TextSink& out, std::uint32_t recording, std::uint32_t number, std::uint32_t count,
                std::span<std::byte const> chunk) {
    FixedText<base64_characters(Chunk::capacity) + 64> line;
    format(line, "TRACE {:08x} {}/{} ", recording, number, count);
    write_base64(line, chunk);
    std::uint32_t const sum = crc32(line.view());
    format(line, " {:08x}\n", sum);
    out.write(line.view());
}

} // namespace mxk::timeline
