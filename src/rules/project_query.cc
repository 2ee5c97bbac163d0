#include "rules/project_query.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "rules/decode.h"

namespace profgauge {
namespace {

constexpr Decoder::Word<std::string_view> kParameterTypes[] = {
    {"integer", "integer"}, {"real", "real"}, {"text", "text"}, {"any", "any"}};

void DecodeParameter(Decoder& decoder, const YamlNode& key, const YamlNode& value,
                     std::vector<ProjectQuery::Parameter>& out) {
  ProjectQuery::Parameter parameter{key.text, "any", std::nullopt};
  const bool is_named = key.kind == YamlNode::Kind::kScalar;  // Not while a shape is asked for.
  if (is_named && !re2::RE2::FullMatch(key.text, "[A-Za-z_][A-Za-z0-9_]{0,39}")) {
    decoder.Add(key, "config/parameter-name",
                fmt::format("`{}` cannot be the name of a parameter: expected letters, digits and "
                            "`_`, like in `:rank` of the statement",
                            PrintableShort(key.text, 50)));
  }
  const Decoder::Key keys[] = {
      {"type",
       [&](const YamlNode& n) {
         if (const auto type = decoder.OneOf<std::string_view>(n, "type", kParameterTypes)) {
           parameter.type = *type;
         }
       }},
      {"default", [&](const YamlNode& n) { parameter.usual = decoder.Text(n, "default"); }},
  };
  decoder.Map(value, "a query parameter", keys);
  out.push_back(std::move(parameter));
}

void DecodeName(Decoder& decoder, const YamlNode& node, const std::vector<ProjectQuery>& others,
                ProjectQuery& query) {
  const auto name = decoder.Text(node, "name");
  if (!name) return;
  query.name = *name;
  query.where = decoder.document().At(node);
  const bool is_taken = std::any_of(others.begin(), others.end(),
                                    [&](const ProjectQuery& other) { return other.name == *name; });
  if (!re2::RE2::FullMatch(*name, "[a-z0-9-]{1,40}")) {
    decoder.Add(node, "config/query-name",
                fmt::format("`{}` cannot be the name of a query: expected at most 40 small "
                            "letters, digits and `-`",
                            PrintableShort(*name, 50)));
  } else if (is_taken) {
    decoder.Add(node, "config/query-twice", fmt::format("two queries are named `{}`", *name));
  }
}

}  // namespace

void DecodeQuery(Decoder& decoder, const YamlNode& node, std::vector<ProjectQuery>& out) {
  ProjectQuery query;
  query.where = decoder.document().At(node);
  const Decoder::Key keys[] = {
      {"name", [&](const YamlNode& n) { DecodeName(decoder, n, out, query); }, true},
      {"title", [&](const YamlNode& n) { Set(query.title, decoder.Text(n, "title")); }},
      {"answers", [&](const YamlNode& n) { Set(query.answers, decoder.Text(n, "answers")); }},
      {"sql", [&](const YamlNode& n) { Set(query.sql, decoder.Source(n, "sql")); }, true},
      {"params",
       [&](const YamlNode& n) {
         decoder.EachEntry(n, "`params`", [&](const YamlNode& key, const YamlNode& value) {
           DecodeParameter(decoder, key, value, query.parameters);
         });
       }},
  };
  decoder.Map(node, "a query", keys);
  out.push_back(std::move(query));
}

}  // namespace profgauge
