// What queries are made of: boxes by their factories, and how they are connected. Made once, by the console's task or a
// program, and checked; each query is an instance (query.hpp). A box says which inputs it has, whether it has an
// output, and, if it reads its inputs one after the other, that it does:
//
//     struct Join : Box {
//         static constexpr std::array<std::string_view, 2> inputs{"build", "probe"};
//         static constexpr bool has_output = true;
//         static constexpr bool reads_in_order = true;      // optional
//         static constexpr bool collects = true;            // optional: takes all that comes before it gives anything
//         static constexpr bool waits_for_each = true;      // optional: reads one input while others have something
//         static constexpr bool deals = true;               // optional: an envelope goes to one of its receivers
//         static constexpr std::string_view kind = "join";  // optional: what a query's monitor calls it
//         Join(Query& query, CoreId core, KeyColumn key);   // what add() is given, behind the first two
//         // optional: which columns it needs of each connected input, and which it gives (column_types.hpp)
//         static Result<ColumnTypes> columns(std::span<InputColumns const> given, KeyColumn key);
//     };
//
//     Model model;
//     auto const orders = model.add<Scan>("orders", table);
//     auto const join = model.add<Join>("join", key);
//     model.connect(orders, join, "build");
//     MXK_TRY(model.check());     error: box 'join': input 'probe' is not connected
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/column_types.hpp"

namespace mxk::dataflow {

// Errors of building are kept until check(): the first one says which box and input it was. Not copied, not moved:
// queries refer to it. One core at a time makes it; any may use it then.
class Model {
  public:
    static constexpr std::uint32_t default_capacity = 4; // envelopes that wait at an input

    struct BoxId {
        std::size_t number = SIZE_MAX;
    };

    Model() = default;
    Model(Model const&) = delete;
    Model& operator=(Model const&) = delete;
    ~Model();

    // Of inputs that are connected from now on: 1 to Edge::max_capacity.
    void set_capacity(std::uint32_t envelopes) { capacity_ = envelopes; }

    // `arguments`: copied here, and given to each box that is made. `name`: a literal, or as long-lived as the model.
    template <typename BoxType, typename... Arguments> BoxId add(std::string_view name, Arguments... arguments) {
        using Made = MadeBox<BoxType, Arguments...>;
        void* const place = heap::allocate(sizeof(Made), alignof(Made));
        if (place == nullptr) return fail(Error::of("box '{}': out of memory", name));
        return add_part(*new (place) Made(name, std::move(arguments)...));
    }
    // A box with as many inputs of the same kind as are connected: BoxType::inputs has one name, which they share.
    void connect(BoxId from, BoxId to, std::string_view input = {});

    // Errors: an input or an output that nothing is connected to, a circle, a column that is missing or of the wrong
    // type, no box, no memory; what add() and connect() have found. Queries of a model that has not passed end with
    // the same error.
    Result<void> check();

    [[nodiscard]] std::size_t boxes() const { return parts_; }
    // f(name, kind, whether it has no inputs), in the order in which they were added.
    template <typename Function> void for_each_box(Function function) const {
        for (Part const* part = first_; part != nullptr; part = part->next)
            function(part->name, part->kind, part->input_names.empty());
    }

  private:
    friend class Query;

    struct Part {
        Part(std::string_view its_name, std::span<std::string_view const> its_inputs)
            : name(its_name)
            , input_names(its_inputs) {}
        Part(Part const&) = delete;
        Part& operator=(Part const&) = delete;
        virtual ~Part() = default;
        [[nodiscard]] virtual Box* make(Query& query, CoreId core) const = 0; // null: no memory
        virtual void destroy(Box& box) const = 0;
        [[nodiscard]] virtual Result<ColumnTypes> columns(std::span<InputColumns const> given) const = 0;
        virtual void destroy_self() = 0;

        std::string_view name;
        std::span<std::string_view const> input_names;
        std::string_view kind;
        bool has_output = false;
        bool reads_in_order = false;
        bool collects = false;
        bool waits_for_each = false;
        bool deals = false;
        bool shares_input_name = false;
        std::size_t number = 0;
        std::size_t inputs = 0; // connected
        std::size_t outputs = 0;
        std::size_t first_input = 0; // of all boxes' inputs and outputs, once checked
        std::size_t first_output = 0;
        unsigned mark = 0; // of check()
        ColumnTypes given; // its output's, once checked
        Part* next = nullptr;
    };
    struct Connection {
        Part* from;
        Part* to;
        std::size_t input;
        std::uint32_t capacity;
        Connection* next = nullptr;
    };

    template <typename BoxType, typename... Arguments> struct MadeBox final : Part {
        explicit MadeBox(std::string_view its_name, Arguments... its_arguments)
            : Part(its_name, BoxType::inputs)
            , arguments(std::move(its_arguments)...) {
            has_output = BoxType::has_output;
            if constexpr (requires { BoxType::reads_in_order; }) reads_in_order = BoxType::reads_in_order;
            if constexpr (requires { BoxType::kind; }) kind = BoxType::kind;
            if constexpr (requires { BoxType::collects; }) collects = BoxType::collects;
            if constexpr (requires { BoxType::waits_for_each; }) waits_for_each = BoxType::waits_for_each;
            if constexpr (requires { BoxType::deals; }) deals = BoxType::deals;
            if constexpr (requires { BoxType::has_many_inputs; }) shares_input_name = BoxType::has_many_inputs;
        }
        Box* make(Query& query, CoreId core) const override {
            void* const place = heap::allocate(sizeof(BoxType), alignof(BoxType));
            if (place == nullptr) return nullptr;
            return std::apply([&](auto const&... each) { return new (place) BoxType(query, core, each...); },
                              arguments);
        }
        Result<ColumnTypes> columns(std::span<InputColumns const> of_inputs) const override {
            return std::apply(
                [&](auto const&... each) -> Result<ColumnTypes> {
                    if constexpr (requires { BoxType::columns(of_inputs, each...); })
                        return BoxType::columns(of_inputs, each...);
                    else
                        return ColumnTypes{};
                },
                arguments);
        }
        void destroy(Box& box) const override {
            auto& self = static_cast<BoxType&>(box);
            self.~BoxType();
            heap::deallocate(&self, sizeof(BoxType), alignof(BoxType));
        }
        void destroy_self() override {
            this->~MadeBox();
            heap::deallocate(this, sizeof(MadeBox), alignof(MadeBox));
        }
        std::tuple<Arguments...> arguments;
    };

    BoxId add_part(Part& part);
    BoxId fail(Error const& error);
    [[nodiscard]] Part* part(BoxId id) const;
    [[nodiscard]] std::size_t input_of(Part& to, std::string_view name);
    [[nodiscard]] bool has_connection(Part const& to, std::size_t input) const;
    void note_change();
    Result<void> check_all();
    Result<void> check_part(Part const& part) const;
    Result<void> check_circles();
    Result<void> check_columns();
    Result<void> check_columns(Part& part);
    void number_edges();
    Result<void> check_order(Part const& part);
    void mark_ancestors(unsigned mark, bool also_collected);
    Result<void> check_waits(Part const& part);
    void mark_descendants(Connection const& from, unsigned mark, bool also_collected);
    [[nodiscard]] bool reach_two_inputs(Part const& part, Connection const& full, Connection const& other) const;

    Part* first_ = nullptr;
    Part* last_ = nullptr;
    std::size_t parts_ = 0;
    Connection* first_connection_ = nullptr;
    Connection* last_connection_ = nullptr;
    std::size_t connections_ = 0;
    std::uint32_t capacity_ = default_capacity;
    bool is_checked_ = false;
    bool has_failed_ = false;
    static constexpr std::string_view unchecked = "expected a model that has passed check(), got another one";
    Error error_{unchecked}; // why is_checked_ is not true
};

} // namespace mxk::dataflow
