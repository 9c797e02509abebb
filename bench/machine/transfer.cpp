#include "bench/machine/transfer.hpp"

namespace mxk::bench {

void TransferPart::prepare() {
    if (transfer_ == Transfer::Read || transfer_ == Transfer::Copy) write_words(source_, first_);
}

void TransferPart::pass() {
    switch (transfer_) {
    case Transfer::Read:
        sums_are_right_ = read_words(source_) == sum_from(first_, source_.size()) && sums_are_right_;
        return;
    case Transfer::Write: return write_words(source_, ++first_);
    case Transfer::Copy: return copy_words(source_, target_);
    case Transfer::WriteStreaming: break;
    }
    stream_words(source_, ++first_);
}

bool TransferPart::verified() const {
    if (transfer_ == Transfer::Read) return sums_are_right_;
    return words_count_from(transfer_ == Transfer::Copy ? target_ : source_, first_);
}

} // namespace mxk::bench
