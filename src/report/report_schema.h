// report.json as JSON Schema (2020-12): the input of ReadReport, reported by itself.
//
// Only types are said: keys that are unknown are ignored by the reader, so a newer minor
// version's file is valid too.
#pragma once

#include <boost/json/object.hpp>

namespace profgauge::report {

boost::json::object ReportSchema();

}  // namespace profgauge::report
