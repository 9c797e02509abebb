#include "bench/workload/keys.hpp"

#include "base/format.hpp"
#include "kernel/console/file_name.hpp"
#include "kernel/console/values.hpp"

namespace mxk::bench {
namespace {

constexpr std::string_view random_order = "random";
constexpr std::string_view repeated_prefix = "random:";
constexpr std::string_view sequential = "sequential";
constexpr std::string_view strided_prefix = "strided:";
constexpr std::string_view file_prefix = "file:";

Result<Keys> file_keys(std::string_view path) {
    if (path.size() > Keys::max_path)
        return Error::of("expected a path of up to {} characters, got {}", Keys::max_path, path.size());
    return Keys{.kind = Keys::Kind::File, .path = path};
}

} // namespace

Result<void> parse_value(std::string_view text, Keys& keys) {
    keys = {};
    if (text == random_order) return {};
    if (text.starts_with(repeated_prefix)) {
        auto const bits = console::parse_count(text.substr(repeated_prefix.size()), Keys::min_bits, Keys::max_bits);
        if (bits) {
            keys = {.kind = Keys::Kind::Repeated, .bits = static_cast<unsigned>(bits.value())};
            return {};
        }
    }
    keys.kind = Keys::Kind::Strided;
    if (text == sequential) return {};
    if (text.starts_with(strided_prefix)) {
        auto const stride = console::parse_count(text.substr(strided_prefix.size()), 1, Keys::max);
        if (stride) {
            keys.stride = stride.value();
            return {};
        }
    }
    if (text.starts_with(file_prefix) && text != file_prefix) {
        keys = MXK_TRY(file_keys(text.substr(file_prefix.size())));
        return {};
    }
    return Error::of(
        "expected random, random:BITS (keys of {} to {} bits, which may come again), sequential, strided:N "
        "with a count N of no less than 1, such as strided:64, or file:PATH, got '{}'",
        Keys::min_bits, Keys::max_bits, text);
}

void print_value(TextSink& out, Keys const& keys) {
    switch (keys.kind) {
    case Keys::Kind::Random: return out.write(random_order);
    case Keys::Kind::File: return format(out, "{}{}", file_prefix, keys.path);
    case Keys::Kind::Repeated: return format(out, "{}{}", repeated_prefix, keys.bits);
    case Keys::Kind::Strided: break;
    }
    if (keys.stride == 1) return out.write(sequential);
    out.write(strided_prefix);
    console::print_count(out, keys.stride);
}

void describe_value(TextSink& out, Keys const&) {
    out.write("random|random:BITS|sequential|strided:N|file:PATH");
}

void complete_value(console::Candidates& candidates, Keys const&) {
    if (candidates.word().starts_with(file_prefix)) {
        candidates.start(candidates.word().substr(file_prefix.size()));
        return console::complete_file_name(candidates);
    }
    for (std::string_view const word : {random_order, repeated_prefix, sequential, strided_prefix, file_prefix})
        candidates.offer(word);
}

} // namespace mxk::bench
