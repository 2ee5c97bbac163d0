// The fields of `profgauge.run`, one by one.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "model/run_side.h"

namespace profgauge::readers {

/// Fills `out`; the first field that cannot be used is a problem, and the rest is not read. What
/// may not be shown is counted and left out.
std::optional<RunProblem> ReadRunFields(const boost::json::object& object, RunDocument& out);

}  // namespace profgauge::readers
