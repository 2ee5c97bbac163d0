// Templates: Mustache files fed from a JSON view of the report.
//
//   {{name}}            text, escaped for the kind of file
//   {{{name}}}          markup made by C++ (MakeMarkup); refused for anything else
//   {{#name}}…{{/name}} once for each element of a list, or once when the value is there
//   {{^name}}…{{/name}} when the value is absent, false or empty
//   {{> name}}          another file of the same folder
//   {{! … }}            a comment
//
// A template is checked before it is drawn, against a schema: a view in which every list has one
// element. A name that the schema does not have is an error with line and column, whatever the
// profile holds, and never an empty string.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::render {

/// The files under templates/ that are compiled in, by path ("templates/html/page.html"). Empty if
/// no file has that path.
std::string_view EmbeddedTemplate(std::string_view path);
std::span<const std::string_view> EmbeddedTemplatePaths();

}  // namespace profgauge::render

namespace profgauge::render {

/// A view value that {{{name}}} may insert as it is. REQUIRES: every text of a profile in it was
/// escaped.
boost::json::value MakeMarkup(std::string markup);
bool IsMarkup(const boost::json::value& value);

/// The schema that `view` represents: each list becomes one element that has every name of its
/// elements. An empty list stays empty, and names in it are unknown.
///
///   {rows: [{a: 1}, {a: 2, b: 3}]}     ->     {rows: [{a: 1, b: 3}]}
boost::json::value MakeSchema(boost::json::value view);

/// One folder of templates, of one kind of file.
struct TemplateFolder {
  std::string folder;        ///< "html": below templates/, and below `override_dir`.
  std::string suffix;        ///< ".html"
  std::string override_dir;  ///< Files found here replace the built-in ones; empty: none.
  std::function<std::string(std::string_view)> escape;
};

/// The text of a template or asset, e.g. "report.css" or "html/page.html": from `override_dir` when
/// it is there, else the built-in one. Errors: kConfig when neither exists.
Result<std::string> LoadTemplate(std::string_view path, const std::string& override_dir);

/// Checks the template `name` and everything it includes against `schema`.
/// Errors: kConfig with file, line and column: "template/unknown-name", "template/raw-text", ….
Status CheckTemplate(const TemplateFolder& folder, std::string_view name,
                     const boost::json::value& schema);

/// Checks, then draws `view`. REQUIRES: `view` has the names that `schema` has.
Result<std::string> RenderTemplate(const TemplateFolder& folder, std::string_view name,
                                   const boost::json::value& view,
                                   const boost::json::value& schema);

}  // namespace profgauge::render
