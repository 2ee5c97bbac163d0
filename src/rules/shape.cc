#include "rules/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "analysis/analysis.h"
#include "knowledge/thresholds.h"
#include "model/devices.h"
#include "rules/decode.h"
#include "rules/policy_decode.h"
#include "rules/project.h"
#include "rules/rule_decode.h"
#include "rules/rule_test.h"
#include "rules/rule_test_decode.h"

namespace profgauge::rules {
namespace {

template <class Decode>
Shape Ask(Decode decode) {
  YamlDocument document;
  document.root.kind = YamlNode::Kind::kMap;
  Errors errors;
  Shape shape;
  Decoder decoder(document, errors, shape);
  decode(decoder);
  return shape;
}

}  // namespace

std::vector<FileShape> ConfigurationShapes() {
  return {
      {"policy", "Requirements of a project: the file of --policy", Ask([](Decoder& decoder) {
         Policy policy;
         DecodePolicy(decoder, policy);
       })},
      {"rules", "Rules: a file of `rule_files` or `rules check`", Ask([](Decoder& decoder) {
         RuleFile rules;
         DecodeRuleFile(decoder, rules);
       })},
      {"rule-tests", "Tests of rules: a *.test.yaml file", Ask([](Decoder& decoder) {
         RuleTestFile tests;
         DecodeRuleTests(decoder, tests);
       })},
      {"devices", "Peaks of devices: the file of a policy's `devices`", Ask([](Decoder& decoder) {
         std::vector<KnownDevice> devices;
         DecodeDevices(decoder, devices);
       })},
      {"config", "profgauge.yaml: the profiles, policies and baselines of a repository",
       Ask([](Decoder& decoder) {
         Project project;
         DecodeProject(decoder, project);
       })},
      {"names", "Which kernels use Tensor Cores: the file of a policy's `tensor_core: names`",
       Ask([](Decoder& decoder) {
         std::vector<analysis::classify::KernelNameRule> names;
         DecodeKernelNames(decoder, names);
       })},
  };
}

namespace {

namespace json = boost::json;

constexpr std::string_view kNumber = R"((0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?)";
constexpr std::string_view kZero = R"(0(\.0+)?([eE][+-]?[0-9]+)?)";

// A text that the decoder would read as a number: blanks around it and a sign are fine.
json::object Text(const std::string& pattern, bool is_unsigned = false) {
  return {{"type", "string"},
          {"pattern", fmt::format("^\\s*{}({})\\s*$", is_unsigned ? "\\+?" : "[+-]?", pattern)}};
}

/// "(ms|us)", for all suffixes of the units.
std::string Suffixes(const std::vector<Unit>& units) {
  std::vector<std::string_view> texts;
  for (const UnitSuffix& suffix : UnitSuffixes()) {
    if (std::find(units.begin(), units.end(), suffix.unit) != units.end()) {
      texts.push_back(suffix.text);
    }
  }
  return texts.empty() ? std::string() : fmt::format("({})", fmt::join(texts, "|"));
}

/// As ConvertLiteral takes them.
void AddNumbersOf(Unit unit, bool is_unsigned, json::array& out) {
  const bool is_plain = unit == Unit::kNumber || unit == Unit::kCount || unit == Unit::kFlops;
  if (is_plain) {
    json::object number{{"type", "number"}};
    if (is_unsigned) number["minimum"] = 0;
    out.push_back(std::move(number));
  } else if (unit == Unit::kShare) {
    out.push_back(
        json::object{{"type", "number"}, {"minimum", is_unsigned ? 0 : -1}, {"maximum", 1}});
  } else {
    out.push_back(json::object{{"type", "number"}, {"const", 0}});
  }
  std::vector<Unit> units = {unit};
  if (unit == Unit::kNumber) units.push_back(Unit::kShare);
  const std::string suffixes = Suffixes(units);
  std::string pattern = is_plain               ? std::string(kNumber)
                        : unit == Unit::kShare ? R"(0(\.[0-9]+)?|1(\.0+)?)"
                                               : std::string(kZero);
  if (!suffixes.empty()) pattern += fmt::format(R"(|{}\s*{})", kNumber, suffixes);
  out.push_back(Text(pattern, is_unsigned));
}

void AddInteger(std::pair<std::int64_t, std::int64_t> range, json::array& out) {
  if (range.first == range.second) {
    out.push_back(json::object{{"enum", {range.first, std::to_string(range.first)}}});
    return;
  }
  out.push_back(
      json::object{{"type", "integer"}, {"minimum", range.first}, {"maximum", range.second}});
  out.push_back(Text(R"((0|[1-9][0-9]*)(\.0+)?)"));
}

json::object Enum(const std::vector<std::string>& words) {
  json::array values;
  for (const std::string& word : words) {
    values.emplace_back(word);
    // Unquoted they are no texts to readers of YAML.
    if (word == "true" || word == "false") values.emplace_back(word == "true");
  }
  return {{"enum", std::move(values)}};
}

// Shape by shape; mappings and numbers become `$defs`, so that "a limit" is written once for the
// hundred metrics that may have one:
//
//     Shape {is_text, units {time}}    {"anyOf": [{"type": [...]}, {"$ref": "#/$defs/number-ns"}]}
//     Shape of nothing                 {"not": {}}: no value is accepted
class SchemaWriter {
 public:
  json::object Root(const FileShape& file) {
    json::object body = Map(file.shape);
    json::object root{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                      {"title", fmt::format("profgauge {}", file.name)},
                      {"description", file.title}};
    for (auto& entry : body) root.insert_or_assign(entry.key(), std::move(entry.value()));
    if (!definitions_.empty()) root["$defs"] = std::move(definitions_);
    return root;
  }

 private:
  json::object Of(const Shape& shape) {
    json::array ways;
    if (shape.is_null) ways.push_back(json::object{{"type", "null"}});
    if (shape.is_text) {
      ways.push_back(json::object{{"type", {"string", "number", "boolean"}}, {"pattern", "\\S"}});
    }
    if (!shape.words.empty()) ways.push_back(Enum(shape.words));
    if (shape.integer) AddInteger(*shape.integer, ways);
    if (shape.is_number) ways.push_back(Defined("number with a unit", AnyNumber()));
    if (!shape.units.empty()) ways.push_back(NumberOf(shape.units, shape.is_unsigned));
    if (shape.is_list) {
      json::object list{{"type", "array"}};
      if (!shape.items.empty()) list["items"] = Of(shape.items.front());
      ways.push_back(std::move(list));
    }
    if (shape.is_map) ways.push_back(Defined(shape.what, Map(shape)));
    if (ways.size() == 1) return ways.front().get_object();
    if (ways.empty()) return {{"not", json::object()}};
    return {{"anyOf", std::move(ways)}};
  }

  json::object Map(const Shape& shape) {
    json::object properties;
    json::array required;
    for (const ShapeKey& key : shape.keys) {
      json::object property;
      if (const std::string doc = DocOf(shape.what, key.name); !doc.empty()) {
        property["description"] = doc;
      }
      for (auto& entry : Of(key.value)) property.insert_or_assign(entry.key(), entry.value());
      properties[key.name] = std::move(property);
      if (key.is_required) required.emplace_back(key.name);
    }
    json::object map{{"type", "object"}};
    if (!properties.empty()) map["properties"] = std::move(properties);
    if (!required.empty()) map["required"] = std::move(required);
    if (shape.others.empty()) {
      map["additionalProperties"] = false;
    } else {
      map["additionalProperties"] = Of(shape.others.front());
    }
    return map;
  }

  static std::string DocOf(std::string_view what, const std::string& key) {
    if (const std::string_view doc = KeyDoc(what, key); !doc.empty()) return std::string(doc);
    if (const analysis::MetricSpec* metric = analysis::FindMetric(key))
      return InGeneralWords(metric->title);
    const knowledge::ThresholdRow* threshold = knowledge::FindThreshold(key);
    return threshold == nullptr ? std::string() : std::string(threshold->means);
  }

  static json::object AnyNumber() {
    std::vector<Unit> all;
    for (const UnitSuffix& suffix : UnitSuffixes()) all.push_back(suffix.unit);
    return {{"anyOf",
             {json::object{{"type", "number"}},
              Text(fmt::format(R"({}\s*{}?)", kNumber, Suffixes(all)))}}};
  }

  json::object NumberOf(const std::set<Unit>& units, bool is_unsigned) {
    json::array ways;
    std::string name = is_unsigned ? "unsigned" : "number";
    for (const Unit unit : units) {
      AddNumbersOf(unit, is_unsigned, ways);
      name += fmt::format(" {}", UnitName(unit));
    }
    return Defined(name, {{"anyOf", std::move(ways)}});
  }

  /// A reference to the schema, which is kept once for each content.
  json::object Defined(std::string_view name, const json::object& schema) {
    const std::string text = json::serialize(schema);
    const auto [known, is_new] = names_.try_emplace(text, Slug(name));
    if (is_new) {
      const std::string base = known->second;
      for (int i = 2; definitions_.contains(known->second); ++i) {
        known->second = fmt::format("{}-{}", base, i);
      }
      definitions_[known->second] = schema;
    }
    return {{"$ref", "#/$defs/" + known->second}};
  }

  static std::string Slug(std::string_view name) {
    std::string slug;
    for (const char c : name) {
      const bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      if (is_word) slug += c;
      if (!is_word && !slug.empty() && slug.back() != '-') slug += '-';
    }
    while (slug.ends_with('-')) slug.pop_back();
    return slug;
  }

  json::object definitions_;
  std::map<std::string, std::string> names_;
};

}  // namespace

std::string ConfigurationSchema(const FileShape& file) {
  return PrettyJson(SchemaWriter().Root(file)) + "\n";
}

namespace {

bool IsFlat(const json::value& value) {
  if (const auto* list = value.if_array()) {
    return std::none_of(list->begin(), list->end(),
                        [](const json::value& v) { return v.is_object() || v.is_array(); });
  }
  return !value.is_object() || value.get_object().empty();
}

void Pretty(const json::value& value, const std::string& indent, std::string& out) {
  if (IsFlat(value)) {
    out += json::serialize(value);
    return;
  }
  const std::string inner = indent + "  ";
  std::string_view comma = "";
  if (const auto* list = value.if_array()) {
    out += "[";
    for (const json::value& item : *list) {
      out += fmt::format("{}\n{}", comma, inner);
      Pretty(item, inner, out);
      comma = ",";
    }
    out += fmt::format("\n{}]", indent);
    return;
  }
  out += "{";
  for (const auto& entry : value.get_object()) {
    out += fmt::format("{}\n{}{}: ", comma, inner, json::serialize(json::value(entry.key())));
    Pretty(entry.value(), inner, out);
    comma = ",";
  }
  out += fmt::format("\n{}}}", indent);
}

}  // namespace

std::string PrettyJson(const json::value& value) {
  std::string out;
  Pretty(value, "", out);
  return out;
}

}  // namespace profgauge::rules
