// A file of lines `section.key = value`, values of a list with blanks between. Strict: who reads it must ask for every
// key once, and a mistake is an error that names the key.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace mxk::simulator {

/// All functions throw std::runtime_error.
class FlatFile {
  public:
    explicit FlatFile(std::istream& text);

    std::string text(std::string const& key);
    double number(std::string const& key, double min, double max);
    std::uint64_t whole(std::string const& key, std::uint64_t min, std::uint64_t max);
    unsigned small(std::string const& key, unsigned min, unsigned max);
    std::vector<double> numbers(std::string const& key, double min, double max);

    /// If there is a key that nobody asked for.
    void check_all_used() const;

  private:
    std::map<std::string, std::string> values_;
};

} // namespace mxk::simulator
