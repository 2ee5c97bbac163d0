// The fields of `profgauge.run`, one by one.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "model/run_side.h"

namespace profgauge::readers {

/// Fills `out`; the first unusable field is a problem, and the rest is not read. Private
/// fields are counted and left out.
std::optional<RunProblem> ReadRunFields(const boost::json::object& object, RunDocument& out);

}  // namespace profgauge::readers
