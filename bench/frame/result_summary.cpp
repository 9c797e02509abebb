#include "bench/frame/result_summary.hpp"

#include <algorithm>
#include <optional>

#include "base/base45.hpp"
#include "base/crc32.hpp"
#include "base/format.hpp"

namespace mxk::bench {
namespace {

// The rows among the kept lines, and which of them begin a group.
class RowWalk {
  public:
    RowWalk(KeptLines const& kept, bool all)
        : next_(kept, all)
        , row_(next_) {}

    // To the next row; false when there is none.
    bool next() {
        while (true) {
            FixedText<200> head; // its first fields
            row_ = next_;
            if (!next_.write_next(head)) return false;
            std::string_view const fields = two_fields(head.view());
            bool const was_in_group = is_in_group_;
            is_in_group_ = !fields.empty();
            if (!is_in_group_) continue;
            std::uint32_t const group = crc32(fields);
            begins_group_ = !was_in_group || group != group_;
            group_ = group;
            return true;
        }
    }
    [[nodiscard]] bool begins_group() const { return begins_group_; }
    void write(TextSink& out) const {
        KeptLines::Reader row = row_;
        row.write_next(out);
    }

  private:
    // Of a row; nothing where it is none.
    static std::string_view two_fields(std::string_view line) {
        if (!line.starts_with("{\"benchmark\"")) return {};
        return line.substr(0, line.find(",\"", line.find(",\"") + 1));
    }

    KeptLines::Reader next_;
    KeptLines::Reader row_;
    bool is_in_group_ = false;
    bool begins_group_ = false;
    std::uint32_t group_ = 0;
};

// Whether row `i` of `rows` is one of so many, which are the first, the last and some evenly between; of one: the last.
bool is_chosen(std::size_t i, std::size_t rows, std::size_t places) {
    if (places < 2 || places == rows) return places == rows || (places == 1 && i == rows - 1);
    std::size_t const place = (i * (places - 1) + rows - 2) / (rows - 1);
    return place * (rows - 1) / (places - 1) == i;
}

// Eight hexadecimal digits, which are the alphabet's first characters.
void write_sum(TextSink& out, std::uint32_t sum) {
    for (int shift = 28; shift >= 0; shift -= 4) out.write(QrCode::alphabet.substr(sum >> shift & 15, 1));
}

} // namespace

Result<void> ResultSummary::make(KeptLines const& kept, bool all) {
    find_groups(kept, all);
    if (rows_ == 0)
        return Error("expected a benchmark with --json before it: there are no rows yet ('bench' lists benchmarks)");
    for (std::size_t limit = std::min(rows_, max_rows); limit > 0; --limit)
        if (write_text(kept, all, limit) && choose_size()) return {};
    return Error::of("expected a row that fits {} QR codes", max_codes);
}

void ResultSummary::find_groups(KeptLines const& kept, bool all) {
    rows_ = group_count_ = older_groups_ = 0;
    for (RowWalk row(kept, all); row.next(); ++rows_) {
        if (row.begins_group()) {
            if (group_count_ == max_rows) {
                std::copy(groups_.begin() + 1, groups_.end(), groups_.begin());
                --group_count_;
                ++older_groups_;
            }
            groups_[group_count_++] = {};
        }
        ++groups_[group_count_ - 1].rows;
    }
}

void ResultSummary::share_places(std::size_t limit) {
    for (Group& group : groups_) group.places = 0;
    chosen_ = 0;
    for (bool has_more = true; has_more && chosen_ < limit;) {
        has_more = false;
        for (std::size_t i = group_count_; i-- > 0 && chosen_ < limit;) {
            if (groups_[i].places == groups_[i].rows) continue;
            ++groups_[i].places;
            ++chosen_;
            has_more = true;
        }
    }
}

bool ResultSummary::write_text(KeptLines const& kept, bool all, std::size_t limit) {
    share_places(limit);
    text_.clear();
    format(text_, "summary of {} rows: {} are here, {} left out (up to {} rows in {} codes), {} no longer kept\n",
           rows_, chosen_, left_out(), max_rows, max_codes, kept.dropped(all));
    RowWalk row(kept, all);
    std::size_t groups = 0;
    for (std::size_t i = 0; row.next(); ++i) {
        if (row.begins_group()) {
            ++groups;
            i = 0;
        }
        if (groups <= older_groups_) continue;
        Group const& group = groups_[groups - older_groups_ - 1];
        if (is_chosen(i, group.rows, group.places)) row.write(text_);
    }
    return !text_.full();
}

bool ResultSummary::choose_size() {
    static constinit Deflate deflate; // without initial values: no part of the kernel's file
    auto const bytes = deflate.compress(text_.view(), compressed_);
    if (!bytes) return false;
    sum_ = crc32(text_.view());
    data_.clear();
    write_base45(data_, std::span(compressed_).first(*bytes));
    std::size_t const size = data_.view().size();
    auto const in_each = [](unsigned version) { return QrCode::room(version) - frame; };
    codes_ = std::min((size + in_each(preferred_max_version) - 1) / in_each(preferred_max_version), max_codes);
    for (version_ = 4; version_ <= QrCode::max_version; ++version_)
        if (in_each(version_) * codes_ >= size) return true;
    return false;
}

ResultSummary::CodeText ResultSummary::code(std::size_t number) const {
    std::size_t const part = (data_.view().size() + codes_ - 1) / codes_;
    CodeText text;
    format(text, "MXK1 {}/{} ", number, codes_);
    write_sum(text, sum_);
    text.append(" ");
    text.append(data_.view().substr((number - 1) * part, part));
    std::uint32_t const sum = crc32(text.view());
    text.append(" ");
    write_sum(text, sum);
    return text;
}

} // namespace mxk::bench
