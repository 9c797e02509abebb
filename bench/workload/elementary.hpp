// Logarithm and exponential for drawing from distributions, without a mathematical library, which metal does not have.
// The same bits in every build, so that the same seed gives the same instructions everywhere. Relative error below
// 1e-15. Any core, never blocks.
#pragma once

namespace mxk::bench {

// Of a normal number greater than 0.
double natural_logarithm(double x);

// e^x for x between -700 and 700.
double exponential(double x);

} // namespace mxk::bench
