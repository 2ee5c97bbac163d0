// Templates: Mustache files filled from a JSON view of the report.
//
//   {{name}}            text, escaped for the kind of file
//   {{{name}}}          markup made by C++ (MakeMarkup)
//   {{#name}}…{{/name}} once for each element of a list, or once when the value is there
//   {{^name}}…{{/name}} when the value is absent, false or empty
//   {{> name}}          another file of the same folder
//   {{! … }}            a comment
//
// Templates are compiled in. A test renders each with a view in which every list has an element. It
// fails for names that the view does not have, and for text from a profile in {{{name}}}
// (tests/unit/render/template_check.h).
#pragma once

#include <boost/json/value.hpp>
#include <span>
#include <string>
#include <string_view>

namespace profgauge::render {

/// The text of a file under templates/, e.g. "templates/html/page.html". Empty if none exists.
std::string_view EmbeddedTemplate(std::string_view path);
std::span<const std::string_view> EmbeddedTemplatePaths();

}  // namespace profgauge::render

namespace profgauge::render {

/// A value that {{{name}}} may insert unchanged. REQUIRES: all of its text from a profile is
/// escaped.
boost::json::value MakeMarkup(std::string markup);
bool IsMarkup(const boost::json::value& value);

/// A folder of templates of one kind.
struct TemplateFolder {
  std::string_view path;    ///< "templates/html/"
  std::string_view suffix;  ///< ".html"
  std::string (*escape)(std::string_view) = nullptr;
  std::string_view (*text_of)(std::string_view path) = EmbeddedTemplate;

  std::string_view Text(std::string_view name) const;  ///< `name` has neither path nor suffix.
};

/// Renders the template `name` with the values of `view`. REQUIRES: `view` has all names that the
/// template uses, because a missing one is rendered as nothing.
std::string RenderTemplate(const TemplateFolder& folder, std::string_view name,
                           const boost::json::value& view);

}  // namespace profgauge::render
