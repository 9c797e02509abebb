// Things that register themselves where they are defined: no central list, no start-up code, and nothing to tell the
// linker about a new registry. Each entry says which registry it belongs to, and all entries of all registries stand in
// one linker section, which the kernel's linker script keeps, and to which Linux' linker gives its bounds by itself.
// A walk over one registry passes over the entries of the others: a few hundred comparisons. Order is the link order:
// sort where it shows. An empty registry is legal.
//
//     MXK_REGISTRY(mxk_commands, Command, registered_commands)                   // in Command's namespace
//     MXK_REGISTER(mxk_commands, console::Command, topology_command);            // topology_command: a constant
//     for (console::Command const* command : registered_commands()) ...
//
// A registry that is not there, or of another type, does not compile.
#pragma once

#include <cstddef>
#include <string_view>

namespace mxk {

struct Registry {}; // its address stands for it

struct alignas(16) RegistryEntry { // as large as it is aligned, so that the section is an array of them
    Registry const* registry;
    void const* object;
};
static_assert(sizeof(RegistryEntry) == 16);

extern "C" [[gnu::weak]] RegistryEntry const __start_mxk_registry[]; // NOLINT(bugprone-reserved-identifier): ld's
extern "C" [[gnu::weak]] RegistryEntry const __stop_mxk_registry[];  // NOLINT(bugprone-reserved-identifier)

// What a program adds while it runs, of files that it loads: behind what was linked. Before anybody walks.
struct AddedEntries {
    RegistryEntry const* first = nullptr;
    std::size_t count = 0;
    std::string_view files{}; // as they were named
};
inline constinit AddedEntries added_entries{};

// Everything in one registry, as pointers.
template <typename T> class Registered {
  public:
    class Iterator {
      public:
        using difference_type = std::ptrdiff_t;
        using value_type = T const*;

        Iterator() = default;
        Iterator(Registry const* registry, RegistryEntry const* at)
            : registry_(registry)
            , at_(at) {
            pass_over_others();
        }
        T const* operator*() const { return static_cast<T const*>(at_->object); }
        Iterator& operator++() {
            ++at_;
            pass_over_others();
            return *this;
        }
        Iterator operator++(int) {
            Iterator const before = *this;
            ++*this;
            return before;
        }
        bool operator==(Iterator const&) const = default;

      private:
        void pass_over_others() {
            while (true) {
                if (at_ == __stop_mxk_registry) at_ = added_entries.first;
                if (at_ == last() || at_->registry == registry_) return;
                ++at_;
            }
        }
        Registry const* registry_ = nullptr;
        RegistryEntry const* at_ = nullptr;
    };

    explicit Registered(Registry const& registry)
        : registry_(&registry) {}
    [[nodiscard]] Iterator begin() const { return {registry_, __start_mxk_registry}; }
    [[nodiscard]] Iterator end() const { return {registry_, last()}; }
    [[nodiscard]] bool empty() const { return begin() == end(); }

  private:
    static RegistryEntry const* last() { return added_entries.first + added_entries.count; }

    Registry const* registry_;
};

} // namespace mxk

// Makes a registry of `type`, and `range`, a function that returns a Registered<type>. In the namespace of the type.
#define MXK_REGISTRY(name, type, range)                                                                                \
    inline constexpr ::mxk::Registry name##_registry{};                                                                \
    [[maybe_unused]] constexpr ::mxk::Registry const* name##_registry_of(type const*) {                                \
        return &name##_registry;                                                                                       \
    }                                                                                                                  \
    inline ::mxk::Registered<type> range() {                                                                           \
        return ::mxk::Registered<type>(name##_registry);                                                               \
    }

// By the type's namespace the call finds its registry.
#define MXK_REGISTER(name, type, object)                                                                               \
    [[gnu::section("mxk_registry"), gnu::used]] constinit ::mxk::RegistryEntry const object##_in_##name {              \
        name##_registry_of(static_cast<type const*>(nullptr)), &(object)                                               \
    }
