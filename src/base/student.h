// Student's t distribution.
#pragma once

namespace profgauge {

/// Quantile of Student's t; degrees may be fractions and count as 1 at least.
double StudentQuantile(double probability, double degrees);

}  // namespace profgauge
