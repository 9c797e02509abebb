#include "tools/simulator/model/flat_file.hpp"

#include <charconv>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace mxk::simulator {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string trimmed(std::string_view text) {
    std::size_t const begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(blanks) + 1 - begin));
}

template <class Number> Number parsed(std::string const& key, std::string const& text, Number min, Number max) {
    Number value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const is_number = error == std::errc() && end == text.data() + text.size();
    if (!is_number || !(value >= min && value <= max)) {
        std::ostringstream message;
        message << key << ": expected a number from " << min << " to " << max << ", got '" << text << "'";
        throw std::runtime_error(message.str());
    }
    return value;
}

} // namespace

FlatFile::FlatFile(std::istream& text) {
    std::string line;
    while (std::getline(text, line)) {
        line = trimmed(std::string_view(line).substr(0, line.find('#')));
        if (line.empty()) continue;
        std::size_t const equals = line.find('=');
        if (equals == std::string::npos) throw std::runtime_error("expected 'key = value', got '" + line + "'");
        std::string const key = trimmed(std::string_view(line).substr(0, equals));
        if (!values_.emplace(key, trimmed(std::string_view(line).substr(equals + 1))).second)
            throw std::runtime_error(key + ": given twice");
    }
}

std::string FlatFile::text(std::string const& key) {
    auto const found = values_.find(key);
    if (found == values_.end()) throw std::runtime_error(key + ": missing");
    std::string value = found->second;
    values_.erase(found);
    if (value.empty()) throw std::runtime_error(key + ": has no value");
    return value;
}

double FlatFile::number(std::string const& key, double min, double max) {
    return parsed(key, text(key), min, max);
}

std::uint64_t FlatFile::whole(std::string const& key, std::uint64_t min, std::uint64_t max) {
    return parsed(key, text(key), min, max);
}

unsigned FlatFile::small(std::string const& key, unsigned min, unsigned max) {
    return parsed(key, text(key), min, max);
}

std::vector<double> FlatFile::numbers(std::string const& key, double min, double max) {
    std::istringstream list(text(key));
    std::vector<double> found;
    std::string one;
    while (list >> one) found.push_back(parsed(key, one, min, max));
    return found;
}

void FlatFile::check_all_used() const {
    if (!values_.empty()) throw std::runtime_error(values_.begin()->first + ": unknown key");
}

} // namespace mxk::simulator
