#include "base/result.hpp"

namespace mxk {

Error::Error(std::string_view message)
    : message_(message) {}

Error::Error(Error const& other) = default;
Error& Error::operator=(Error const& other) = default;

} // namespace mxk
