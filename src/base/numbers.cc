#include "base/numbers.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>

namespace profgauge {

double StudentQuantile(double probability, double degrees) {
  return boost::math::quantile(boost::math::students_t(std::max(1.0, degrees)), probability);
}

}  // namespace profgauge
