// The two structures of Arrow's C data interface, by which pyarrow, Polars, DuckDB and others hand over columns in the
// memory of one process. Their layout is the interface's (Arrow columnar format, "The Arrow C data interface").
//
//     ArrowSchema schema; ArrowArray batch;             filled by record_batch._export_to_c(address, address)
//     Source orders("orders", batch.length);
//     MXK_TRY(orders.add(schema, batch));               nothing is copied that need not be
//     ...                                               plans over it
//     batch.release(&batch); schema.release(&schema);   when the source and its plans are gone
#pragma once

#include <cstdint>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

extern "C" {

struct ArrowSchema {
    char const* format;
    char const* name;
    char const* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    void const** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

} // extern "C"

#endif
