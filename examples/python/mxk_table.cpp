// mxk_table: a Python module with a table of 64-bit keys and values over numpy arrays, by nanobind.
//
//     import mxk_table
//     table = mxk_table.Table()              # of int64 values; mxk_table.FloatTable: of float64
//     table.add(keys, 1)                     # keys: numpy array of int64 (or uint64); counts
//     values, found = table.find(keys)       # arrays: the values (0 where there is none) and booleans
//     keys, values = table.items()
//
// Calls release the interpreter's lock: any thread may make any of them at any time.
#include <mxk/table.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace {

template <typename T> using Input = nb::ndarray<T const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T> using Output = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <typename T> std::span<T const> span_of(Input<T> const& array) {
    return {array.data(), array.shape(0)};
}

// A numpy array of its own.
template <typename T> class Made {
  public:
    explicit Made(std::size_t size)
        : memory_(new T[size]())
        , size_(size) {}
    std::span<T> span() { return {memory_.get(), size_}; }
    Output<T> give() {
        nb::capsule const owner(memory_.get(), [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
        return Output<T>(memory_.release(), {size_}, owner);
    }

  private:
    std::unique_ptr<T[]> memory_;
    std::size_t size_;
};

// The process' one: from the first table on, to the program's end.
void start_runtime() {
    static auto& started = *new mxk::Result<mxk::Runtime>(mxk::Runtime::start({.own_threads = true}));
    if (!started) throw std::runtime_error(std::string(started.error().message()));
}

void expect_done(mxk::BulkResult const& result) {
    if (!result) throw std::runtime_error(std::string(result.error().message()));
}

template <typename Value> class PythonTable {
    using Table = mxk::Table<std::int64_t, Value>;
    using Mask = std::vector<std::uint64_t>;

  public:
    explicit PythonTable(std::size_t capacity) {
        start_runtime();
        auto made = Table::create({.capacity = capacity});
        if (!made) throw std::runtime_error(std::string(made.error().message()));
        table_.emplace(std::move(made).value());
    }

    std::size_t insert(Input<std::int64_t> keys, Input<Value> values) {
        return change(keys, values, [&] { return table_->insert(span_of(keys), span_of(values)); });
    }
    std::size_t upsert(Input<std::int64_t> keys, Input<Value> values) {
        return change(keys, values, [&] { return table_->upsert(span_of(keys), span_of(values)); });
    }
    std::size_t add(Input<std::int64_t> keys, Input<Value> values) {
        return change(keys, values, [&] { return table_->add(span_of(keys), span_of(values)); });
    }
    std::size_t add_one_value(Input<std::int64_t> keys, Value value) {
        nb::gil_scoped_release const released;
        mxk::BulkResult const result = table_->add(span_of(keys), value);
        expect_done(result);
        return result.changed;
    }
    std::size_t erase(Input<std::int64_t> keys) {
        nb::gil_scoped_release const released;
        return table_->erase(span_of(keys)).changed;
    }
    nb::tuple find(Input<std::int64_t> keys) {
        std::size_t const size = keys.shape(0);
        Made<Value> values(size);
        Made<bool> found(size);
        {
            nb::gil_scoped_release const released;
            Mask mask(Table::mask_words(size));
            table_->find(span_of(keys), values.span(), mask);
            for (std::size_t i = 0; i < size; ++i) found.span()[i] = (mask[i / 64] >> i % 64 & 1) != 0;
        }
        return nb::make_tuple(values.give(), found.give());
    }
    nb::tuple items() {
        std::vector<std::int64_t> keys;
        std::vector<Value> values;
        {
            nb::gil_scoped_release const released;
            keys.reserve(table_->size());
            values.reserve(keys.capacity());
            table_->for_each([&](std::int64_t key, Value value) {
                keys.push_back(key);
                values.push_back(value);
            });
        }
        Made<std::int64_t> made_keys(keys.size());
        Made<Value> made_values(keys.size());
        std::ranges::copy(keys, made_keys.span().begin());
        std::ranges::copy(values, made_values.span().begin());
        return nb::make_tuple(made_keys.give(), made_values.give());
    }
    std::size_t size() const { return table_->size(); }

  private:
    template <typename Call>
    static std::size_t change(Input<std::int64_t> const& keys, Input<Value> const& values, Call call) {
        if (keys.shape(0) != values.shape(0)) throw std::invalid_argument("expected as many values as keys");
        nb::gil_scoped_release const released;
        mxk::BulkResult const result = call();
        expect_done(result);
        return result.changed;
    }

    std::optional<Table> table_;
};

template <typename Value> void add_class(nb::module_& module, char const* name) {
    using Class = PythonTable<Value>;
    nb::class_<Class>(module, name)
        .def(nb::init<std::size_t>(), nb::arg("capacity") = 0)
        .def("insert", &Class::insert, nb::arg("keys"), nb::arg("values"), "Those that are not there; how many.")
        .def("upsert", &Class::upsert, nb::arg("keys"), nb::arg("values"), "Inserts or replaces; how many are new.")
        .def("add", &Class::add, nb::arg("keys"), nb::arg("values"), "Inserts or adds: sums by key; how many are new.")
        .def("add", &Class::add_one_value, nb::arg("keys"), nb::arg("value"), "The same value for all: counts.")
        .def("erase", &Class::erase, nb::arg("keys"), "How many were there.")
        .def("find", &Class::find, nb::arg("keys"), "Their values, 0 where there is none, and whether there is one.")
        .def("items", &Class::items, "All keys and their values, in no order.")
        .def("__len__", &Class::size);
}

} // namespace

NB_MODULE(mxk_table, module) {
    add_class<std::int64_t>(module, "Table");
    add_class<double>(module, "FloatTable");
}
