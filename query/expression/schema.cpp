#include "query/expression/schema.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "query/expression/shown_names.hpp"
#include "tasks/dataflow/graph/box.hpp"

namespace mxk::query {

Result<Field const*> Schema::find(std::string_view name) const {
    for (Field const& field : fields())
        if (field.name.view() == name) return &field;
    NameList names;
    for (Field const& field : fields()) names.add(field.name.view());
    return Error::of("expected a column of {}; got '{}'", names.view(), shown(name).view());
}

Result<void> Schema::add(Field field, bool is_nullable) {
    if (field.name.view().empty() || field.name.full()) return Error("expected a name of 1 to 31 characters");
    if (find(field.name.view())) return Error::of("expected names that differ, got '{}' twice", field.name.view());
    std::size_t const needed = is_nullable ? 2 : 1;
    if (columns_ + needed > max_columns)
        return Error::of("expected up to {} columns, of which each that may be NULL counts twice; '{}' is one more",
                         max_columns, field.name.view());
    field.values = columns_++;
    field.validity = is_nullable ? columns_++ : Field::no_validity;
    if (is_nullable) { // 0 stands for NULL in expressions
        field.range.low = std::min<Int128>(field.range.low, 0);
        field.range.high = std::max<Int128>(field.range.high, 0);
    }
    fields_[count_++] = field;
    return {};
}

Result<dataflow::EnvelopePointer> make_rows(std::span<Field const> fields, std::uint32_t rows, std::uint64_t sequence) {
    auto envelope = dataflow::Envelope::create(rows, sequence);
    if (!envelope) return dataflow::no_memory_for_envelopes();
    for (Field const& field : fields) {
        envelope->columns[field.values] = dataflow::Column::create(rows * bytes_of(field.storage));
        if (!envelope->columns[field.values]) return dataflow::no_memory_for_envelopes();
        if (!field.is_nullable()) continue;
        envelope->columns[field.validity] = dataflow::Column::create_for<std::uint8_t>(rows);
        if (!envelope->columns[field.validity]) return dataflow::no_memory_for_envelopes();
    }
    return envelope;
}

} // namespace mxk::query
