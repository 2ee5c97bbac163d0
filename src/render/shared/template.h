// Templates: Mustache files fed from a JSON view of the report.
//
//   {{name}}            text, escaped for the kind of file
//   {{{name}}}          markup made by C++ (MakeMarkup)
//   {{#name}}…{{/name}} once for each element of a list, or once when the value is there
//   {{^name}}…{{/name}} when the value is absent, false or empty
//   {{> name}}          another file of the same folder
//   {{! … }}            a comment
//
// They are compiled in. A test checks each of them against a view in which every list has an
// element: a name that the view does not have, and text of a profile in {{{name}}}, fail there
// (tests/unit/render/template_check.h).
#pragma once

#include <boost/json/value.hpp>
#include <span>
#include <string>
#include <string_view>

namespace profgauge::render {

/// The files under templates/, by path ("templates/html/page.html"). Empty if no file has that
/// path.
std::string_view EmbeddedTemplate(std::string_view path);
std::span<const std::string_view> EmbeddedTemplatePaths();

}  // namespace profgauge::render

namespace profgauge::render {

/// A view value that {{{name}}} may insert as it is. REQUIRES: every text of a profile in it was
/// escaped.
boost::json::value MakeMarkup(std::string markup);
bool IsMarkup(const boost::json::value& value);

/// One folder of templates, of one kind of file.
struct TemplateFolder {
  std::string_view path;    ///< "templates/html/"
  std::string_view suffix;  ///< ".html"
  std::string (*escape)(std::string_view) = nullptr;
  std::string_view (*text_of)(std::string_view path) = EmbeddedTemplate;

  std::string_view Text(std::string_view name) const;  ///< Of `name` without path and suffix.
};

/// The template `name` with the values of `view`. REQUIRES: `view` has the names that the template
/// uses; a missing one would be drawn as nothing.
std::string RenderTemplate(const TemplateFolder& folder, std::string_view name,
                           const boost::json::value& view);

}  // namespace profgauge::render
