// Checks the templates that are compiled in, and the report against which they are checked.
//
// A template is checked against a schema: a view in which every list has one element. Each section
// is entered once, also those that a report would skip, so that a name that the view does not have
// is found whatever a profile holds.
#pragma once

#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "render/shared/template.h"
#include "report/report.h"

namespace profgauge::render::testing {

/// The schema that `view` represents: each list becomes one element that has every name of its
/// elements. An empty list stays empty, and names in it are unknown.
///
///   {rows: [{a: 1}, {a: 2, b: 3}]}     ->     {rows: [{a: 1, b: 3}]}
boost::json::value MakeSchema(boost::json::value view);

/// Checks the template `name` and everything it includes against `schema`; adds their paths to
/// `seen`. Changed delimiters ({{=<% %>=}}) are not supported.
/// Errors: with file, line and column: "template/unknown-name", "template/raw-text", …; the first.
Status CheckTemplate(const TemplateFolder& folder, std::string_view name,
                     const boost::json::value& schema, std::set<std::string>& seen);

/// A report with one of everything, so that every list of its view has an element.
const report::Report& SchemaReport();

}  // namespace profgauge::render::testing
