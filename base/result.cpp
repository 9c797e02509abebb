#include "base/result.hpp"

#include "base/panic.hpp"

namespace mxk {

Error::Error(std::string_view message)
    : message_(message) {}

void no_value(Error const& error) {
    panic("expected ok() before value(), which was taken of an error: {}", error.message());
}
void no_error() {
    panic("expected an error, which was asked for of a result that has a value");
}

Error::Error(Error const& other) = default;
Error& Error::operator=(Error const& other) = default;

} // namespace mxk
