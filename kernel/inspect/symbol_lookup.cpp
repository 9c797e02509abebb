#include "kernel/inspect/symbol_lookup.hpp"

#include "arch/symbols.hpp"
#include "base/format.hpp"

namespace mxk::inspect {
namespace {

constexpr std::string_view separator = "::";

bool stands_for(std::string_view wanted, std::string_view name) {
    if (!name.ends_with(wanted) || wanted.empty()) return false;
    return name.size() == wanted.size() || name.substr(0, name.size() - wanted.size()).ends_with(separator);
}

// What stands behind the last "::" that is no part of a template's arguments; the whole name if there is none.
std::string_view last_part(std::string_view name) {
    std::size_t const arguments = name.find('<');
    std::size_t const at = name.substr(0, arguments).rfind(separator);
    return at == name.npos ? name : name.substr(at + separator.size());
}

bool is_one_word(std::string_view name) {
    return name.find_first_of(" \t;'\"") == name.npos;
}

} // namespace

std::size_t for_each_match(std::string_view name, VisitFunction visit, void* context) {
    std::size_t count = 0;
    arch::for_each_function([&](std::string_view each, std::uintptr_t address) {
        if (!stands_for(name, each)) return;
        ++count;
        visit(each, address, context);
    });
    return count;
}

Error no_function_called(std::string_view name) {
    std::size_t count = 0;
    std::string_view first;
    arch::for_each_function([&](std::string_view each, std::uintptr_t) {
        if (name.empty() || each.find(name) == each.npos) return;
        if (count++ == 0) first = each;
    });
    if (count == 0) return Error::of("expected the name of a function, such as mxk::clock::now or now, got '{}'", name);
    return Error::of("expected the name of a function, got '{}', which is part of {} names, such as {}", name, count,
                     first);
}

Result<std::uintptr_t> address_of_function(std::string_view name) {
    std::uintptr_t found = 0;
    std::size_t const count = for_each_match(
        name,
        [](std::string_view, std::uintptr_t address, void* last) { *static_cast<std::uintptr_t*>(last) = address; },
        &found);
    if (count == 0) return no_function_called(name);
    if (count > 1)
        return Error::of("expected the name of one function, got '{}', which {} have; 'symaddr {}' lists them", name,
                         count, name);
    return found;
}

void offer_functions(console::Candidates& candidates, std::string_view lead) {
    bool const is_qualified = candidates.word().find(separator) != std::string_view::npos;
    arch::for_each_function([&](std::string_view name, std::uintptr_t) {
        if (!is_one_word(name)) return;
        candidates.offer(name, lead);
        if (!is_qualified) candidates.offer(last_part(name), lead);
    });
}

} // namespace mxk::inspect
