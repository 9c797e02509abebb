// mxk: a Python module with a table of 64-bit keys and values over numpy arrays, by nanobind.
//
//     import mxk
//     table = mxk.Table()              # of int64 values; mxk.FloatTable: of float64
//     table.add(keys, 1)                     # keys: numpy array of int64, or of what fits in it; counts
//     values, found = table.find(keys)       # arrays: the values (0 where there is none) and booleans
//     keys, values = table.items()
//     table[7] += 1; 7 in table; del table[7]
//
// Keys of a table made with dtype="uint64" are such numbers. What would not be kept as it is, is refused: a TypeError
// names the dtype, an OverflowError the number. Calls release the interpreter's lock: any thread may make any of them
// at any time. They look at signals after each few million keys; what was done until then stays.
#include <mxk/table.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace {

template <typename T> using Input = nb::ndarray<T const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T> using Output = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// An array of this dtype with the numbers of what was given: an array, a sequence, or one number where that may be.
// Throws where one would change.
nb::object as_array(nb::handle given, char const* dtype, char const* name, bool may_be_one = false) {
    nb::module_ const numpy = nb::module_::import_("numpy");
    nb::object array = numpy.attr("asarray")(given);
    int const dimensions = nb::cast<int>(array.attr("ndim"));
    if (may_be_one && dimensions == 0)
        array = array.attr("reshape")(1);
    else if (dimensions != 1)
        throw std::invalid_argument(std::string(name) + ": expected an array of one dimension, got " +
                                    std::to_string(dimensions));
    if (nb::cast<std::size_t>(array.attr("size")) == 0) return numpy.attr("zeros")(0, dtype);
    nb::object const its = array.attr("dtype");
    if (!nb::cast<bool>(numpy.attr("can_cast")(its, dtype, "safe"))) {
        std::string const got = nb::str(its).c_str();
        bool const are_integers = got == "int64" || got == "uint64";
        if (!are_integers || std::string(dtype) == "float64")
            throw nb::type_error(
                (std::string(name) + ": expected " + dtype + ", or what fits in it, got " + got).c_str());
        nb::object const extreme = array.attr(got == "int64" ? "min" : "max")();
        bool const fits = extreme <= nb::int_(INT64_MAX) && extreme >= nb::int_(0);
        if (!fits) {
            std::string const number = nb::str(extreme).c_str();
            PyErr_SetString(PyExc_OverflowError,
                            (std::string(name) + ": expected " + dtype + ", got " + number).c_str());
            throw nb::python_error();
        }
    }
    return numpy.attr("ascontiguousarray")(array, dtype);
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

bool is_forked = false; // after the first table: its threads are gone

// The process' one: from the first table on, to the program's end.
void start_runtime() {
    static auto& started = *new mxk::Result<mxk::Runtime>([] {
        pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
        return mxk::Runtime::start({.own_threads = true});
    }());
    if (!started) throw std::runtime_error(std::string(started.error().message()));
}
void expect_not_forked() {
    if (is_forked)
        throw std::runtime_error("mxk: the process was forked after its first table, and has not its threads: "
                                 "use multiprocessing's \"spawn\" or \"forkserver\"");
}

void expect_done(mxk::BulkResult const& result) {
    if (!result) throw std::runtime_error(std::string(result.error().message()));
}

template <typename Value> class PythonTable {
    using Table = mxk::Table<std::int64_t, Value>;
    using Keys = std::span<std::int64_t const>;

  public:
    PythonTable(std::size_t capacity, std::string const& dtype, std::size_t max_keys)
        : key_type_(dtype) {
        if (dtype != "int64" && dtype != "uint64")
            throw nb::value_error(("dtype: expected int64 or uint64, got " + dtype).c_str());
        expect_not_forked();
        start_runtime();
        auto made = Table::create({.capacity = capacity, .max_keys = max_keys});
        if (!made) throw std::runtime_error(std::string(made.error().message()));
        table_ = std::make_unique<Table>(std::move(made).value());
    }
    PythonTable(PythonTable const&) = delete;
    PythonTable& operator=(PythonTable const&) = delete;
    ~PythonTable() {
        if (is_forked) (void)table_.release(); // who has a lock of it may be gone
    }

    std::size_t insert(nb::object keys, nb::object values) {
        return change(keys, values, [](Table& table, Keys some, auto given) { return table.insert(some, given); });
    }
    std::size_t upsert(nb::object keys, nb::object values) {
        return change(keys, values, [](Table& table, Keys some, auto given) { return table.upsert(some, given); });
    }
    std::size_t add(nb::object keys, nb::object values) {
        if (nb::cast<int>(nb::module_::import_("numpy").attr("ndim")(values)) != 0)
            return change(keys, values, [](Table& table, Keys some, auto given) { return table.add(some, given); });
        Value const value = one_value(values);
        return in_parts(given_keys(keys), [&](Keys some, std::size_t) { return table_->add(some, value); });
    }
    std::size_t erase(nb::object keys) {
        return in_parts(given_keys(keys), [&](Keys some, std::size_t) { return table_->erase(some); });
    }
    nb::tuple find(nb::object keys) {
        auto const its_keys = given_keys(keys);
        Made<Value> values(its_keys.shape(0));
        Made<bool> found(its_keys.shape(0));
        in_parts(its_keys, [&](Keys some, std::size_t from) {
            std::vector<std::uint64_t> mask(Table::mask_words(some.size()));
            table_->find(some, values.span().subspan(from, some.size()), mask);
            for (std::size_t i = 0; i < some.size(); ++i) found.span()[from + i] = (mask[i / 64] >> i % 64 & 1) != 0;
            return mxk::BulkResult{};
        });
        return nb::make_tuple(values.give(), found.give());
    }
    nb::tuple items() {
        expect_not_forked();
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
        return nb::make_tuple(nb::cast(made_keys.give()).attr("view")(key_type_), made_values.give());
    }
    nb::object iterate() { return nb::iter(items()[0].attr("tolist")()); }
    std::size_t size() const {
        expect_not_forked();
        return table_->size();
    }
    std::size_t bytes() const {
        expect_not_forked();
        return table_->bytes();
    }
    std::size_t evicted() const {
        expect_not_forked();
        return table_->statistics().evicted;
    }
    std::size_t clear() {
        expect_not_forked();
        nb::gil_scoped_release const released;
        return table_->clear();
    }

    bool contains(nb::object key) { return table_->find(key_of(key)).has_value(); }
    Value get(nb::object key) {
        auto const value = table_->find(key_of(key));
        if (!value) throw nb::key_error(nb::str(key).c_str());
        return *value;
    }
    void set(nb::object key, nb::object value) {
        auto const done = table_->upsert(key_of(key), one_value(value));
        if (!done.ok()) throw std::runtime_error(std::string(done.error().message()));
    }
    void remove(nb::object key) {
        if (!table_->erase(key_of(key))) throw nb::key_error(nb::str(key).c_str());
    }

  private:
    static constexpr std::size_t part = std::size_t{1} << 22; // keys: some tenths of a second

    Input<std::int64_t> given_keys(nb::handle keys) const {
        return nb::cast<Input<std::int64_t>>(as_array(keys, key_type_.c_str(), "keys").attr("view")("int64"));
    }
    static Input<Value> given_values(nb::handle values) {
        char const* const dtype = std::is_same_v<Value, double> ? "float64" : "int64";
        return nb::cast<Input<Value>>(as_array(values, dtype, "values", true));
    }
    static Value one_value(nb::handle value) {
        auto const array = given_values(value);
        if (array.shape(0) != 1) throw std::invalid_argument("expected one value");
        return array.data()[0];
    }
    std::int64_t key_of(nb::handle key) const {
        expect_not_forked();
        nb::object const whole = nb::steal(PyNumber_Index(key.ptr())); // no float
        if (!whole.is_valid()) throw nb::python_error();
        auto const number = key_type_ == "int64" ? PyLong_AsLongLong(whole.ptr())
                                                 : static_cast<std::int64_t>(PyLong_AsUnsignedLongLong(whole.ptr()));
        if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
        return number;
    }

    template <typename Call> std::size_t change(nb::handle keys, nb::handle values, Call call) {
        auto const its_keys = given_keys(keys);
        auto const given = given_values(values);
        std::span<Value const> const all{given.data(), given.shape(0)};
        if (its_keys.shape(0) != all.size()) throw std::invalid_argument("expected as many values as keys");
        return in_parts(
            its_keys, [&](Keys some, std::size_t from) { return call(*table_, some, all.subspan(from, some.size())); });
    }
    // Without the interpreter's lock: call(keys, the number of the first of them). How many have changed.
    template <typename Call> std::size_t in_parts(Input<std::int64_t> const& keys, Call call) {
        expect_not_forked();
        Keys const all{keys.data(), keys.shape(0)};
        std::size_t changed = 0;
        for (std::size_t from = 0; from < all.size(); from += part) {
            mxk::BulkResult result;
            {
                nb::gil_scoped_release const released;
                result = call(all.subspan(from, std::min(part, all.size() - from)), from);
            }
            expect_done(result);
            changed += result.changed;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        }
        return changed;
    }

    std::string key_type_;
    std::unique_ptr<Table> table_;
};

template <typename Value> void add_class(nb::module_& module, char const* name, char const* text) {
    using Class = PythonTable<Value>;
    nb::class_<Class>(module, name, text)
        .def(
            nb::init<std::size_t, std::string const&, std::size_t>(), nb::arg("capacity") = 0,
            nb::arg("dtype") = "int64", nb::arg("max_keys") = 0,
            "With room for so many keys from the start; dtype: of keys, int64 or uint64; max_keys: a cache, from which "
            "keys that were not used go when there are more.")
        .def("insert", &Class::insert, nb::arg("keys"), nb::arg("values"), "Those that are not there; how many.")
        .def("upsert", &Class::upsert, nb::arg("keys"), nb::arg("values"), "Inserts or replaces; how many are new.")
        .def("add", &Class::add, nb::arg("keys"), nb::arg("values"),
             "Inserts or adds: sums by key; or one value for all: counts; how many are new.")
        .def("erase", &Class::erase, nb::arg("keys"), "How many were there.")
        .def("clear", &Class::clear, "Erases all keys, and gives their memory back; how many there were.")
        .def_prop_ro("nbytes", &Class::bytes, "Memory for keys and values.")
        .def_prop_ro("evicted", &Class::evicted, "How many keys went as there were more than max_keys.")
        .def("find", &Class::find, nb::arg("keys"), "Their values, 0 where there is none, and whether there is one.")
        .def("items", &Class::items, "All keys and their values, in no order.")
        .def("__len__", &Class::size, "How many keys there are.")
        .def("__iter__", &Class::iterate, "The keys that there are now, in no order.")
        .def("__contains__", &Class::contains, nb::arg("key"), "Whether there is this key.")
        .def("__getitem__", &Class::get, nb::arg("key"), "The key's value; KeyError: there is none.")
        .def("__setitem__", &Class::set, nb::arg("key"), nb::arg("value"), "Inserts or replaces.")
        .def("__delitem__", &Class::remove, nb::arg("key"), "Erases; KeyError: it is not there.");
}

} // namespace

NB_MODULE(mxk, module) {
    module.doc() = "Hash tables of 64-bit keys and values over numpy arrays, for any number of threads.";
    module.attr("__version__") = MXK_VERSION;
    add_class<std::int64_t>(module, "Table", "A hash table of int64 values.");
    add_class<double>(module, "FloatTable", "A hash table of float64 values.");
}
