// The names in the program's own file: the ELF symbol table (System V ABI, chapter 4, "Symbol Table"), which has the
// functions that no other file sees, too.
#include "arch/symbols.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The linker's: where this program begins.
extern "C" Elf64_Ehdr const __ehdr_start; // NOLINT(bugprone-reserved-identifier)

namespace mxk::arch {
namespace {

class OwnSymbols {
  public:
    OwnSymbols() {
        std::ifstream file("/proc/self/exe", std::ios::binary);
        Elf64_Ehdr head{};
        if (!file.read(reinterpret_cast<char*>(&head), sizeof head)) return;
        std::vector<Elf64_Shdr> const sections = array<Elf64_Shdr>(file, head.e_shoff, head.e_shnum);
        for (Elf64_Shdr const& section : sections) {
            if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
            Elf64_Shdr const& texts = sections[section.sh_link];
            names_ = array<char>(file, texts.sh_offset, texts.sh_size);
            functions_ = array<Elf64_Sym>(file, section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
        }
        if (names_.empty()) functions_.clear();
        std::erase_if(functions_, [this](Elf64_Sym const& symbol) {
            return ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
                   symbol.st_name >= names_.size();
        });
        std::sort(functions_.begin(), functions_.end(),
                  [](Elf64_Sym const& a, Elf64_Sym const& b) { return a.st_value < b.st_value; });
    }

    [[nodiscard]] std::span<Elf64_Sym const> all() const { return functions_; } // by address
    [[nodiscard]] char const* name_of(Elf64_Sym const& symbol) const { return names_.data() + symbol.st_name; }

    // As the compiler wrote it; null: none contains the address.
    [[nodiscard]] char const* find(std::uint64_t address) const {
        auto const after =
            std::upper_bound(functions_.begin(), functions_.end(), address,
                             [](std::uint64_t wanted, Elf64_Sym const& symbol) { return wanted < symbol.st_value; });
        if (after == functions_.begin() || address - after[-1].st_value >= after[-1].st_size) return nullptr;
        return names_.data() + after[-1].st_name;
    }

  private:
    // Empty if the file does not have it.
    template <typename T> static std::vector<T> array(std::ifstream& file, std::uint64_t offset, std::uint64_t count) {
        file.seekg(0, std::ios::end);
        auto const size = static_cast<std::uint64_t>(file.tellg());
        if (offset > size || count > (size - offset) / sizeof(T)) return {};
        std::vector<T> read(count);
        file.seekg(static_cast<std::streamoff>(offset));
        if (!file.read(reinterpret_cast<char*>(read.data()), static_cast<std::streamsize>(count * sizeof(T))))
            return {};
        return read;
    }

    std::vector<Elf64_Sym> functions_; // by address
    std::vector<char> names_;          // the last one ends with a zero
};

std::string demangled(char const* mangled) {
    int status = 0;
    char* const text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    std::string result = text != nullptr ? text : mangled;
    std::free(text);
    return result;
}

// Without parameters, and without the result, which the names of templates have in front.
std::string shortened(std::string_view name) {
    constexpr std::string_view anonymous = "(anonymous namespace)";
    constexpr std::size_t max_length = 120;
    std::string kept;
    int parentheses = 0;
    int angles = 0;
    for (std::size_t at = 0; at < name.size(); ++at) {
        if (name.substr(at, anonymous.size()) == anonymous) {
            if (parentheses == 0) kept += "{anonymous}";
            at += anonymous.size() - 1;
            continue;
        }
        char const each = name[at];
        if (each == '(') ++parentheses;
        if (parentheses == 0) {
            angles += each == '<' ? 1 : each == '>' ? -1 : 0;
            if (each == ' ' && angles == 0 && name.substr(at, 6) != " const" && name[at + 1] != '[')
                kept.clear();
            else
                kept += each;
        }
        if (each == ')') --parentheses;
    }
    return kept.substr(0, max_length);
}

} // namespace

namespace {

OwnSymbols const& own_symbols() {
    static OwnSymbols const symbols;
    return symbols;
}

struct NamedFunction {
    std::string name;
    std::uintptr_t address;
};

// Of functions that are one (aliases of one name) only the first.
std::vector<NamedFunction> named_functions() {
    std::vector<NamedFunction> result;
    for (Elf64_Sym const& symbol : own_symbols().all()) {
        std::string name = shortened(demangled(own_symbols().name_of(symbol)));
        std::uintptr_t const address = symbol.st_value + load_offset();
        bool const is_known = !result.empty() && result.back().address == address && result.back().name == name;
        if (!is_known) result.push_back({std::move(name), address});
    }
    return result;
}

} // namespace

void for_each_function(void (*visit)(std::string_view name, std::uintptr_t address, void* context), void* context) {
    static std::vector<NamedFunction> const functions = named_functions();
    for (NamedFunction const& each : functions) visit(each.name, each.address, context);
}

bool write_function_name(TextSink& out, std::uintptr_t address) {
    char const* name = own_symbols().find(address - load_offset());
    Dl_info of_library{};
    if (name == nullptr &&
        dladdr(reinterpret_cast<void*>(address), &of_library) != 0) // NOLINT(performance-no-int-to-ptr)
        name = of_library.dli_sname;
    if (name == nullptr) return false;
    out.write(shortened(demangled(name)));
    return true;
}

std::uintptr_t load_offset() {
    // A program that is linked to one place has its head there, any other at 0.
    return __ehdr_start.e_type == ET_DYN ? reinterpret_cast<std::uintptr_t>(&__ehdr_start) : 0;
}

} // namespace mxk::arch
