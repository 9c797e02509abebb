// Sums that cannot overflow in any query: 128 bits.
#pragma once

namespace mxk::query {

__extension__ using Sum = __int128;

} // namespace mxk::query
