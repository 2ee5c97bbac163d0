#include "rules/shape.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <span>

#include "analysis/analysis.h"
#include "knowledge/thresholds.h"
#include "model/devices.h"
#include "rules/decode.h"
#include "rules/knowledge_decode.h"
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

// The schema of a text that the decoder reads as a number; a sign and spaces around it are valid.
json::object Text(const std::string& pattern, bool is_unsigned = false) {
  return {{"type", "string"},
          {"pattern", fmt::format("^\\s*{}({})\\s*$", is_unsigned ? "\\+?" : "[+-]?", pattern)}};
}

/// A pattern for all suffixes of the units: "(ms|us)".
std::string Suffixes(const std::vector<Unit>& units) {
  std::vector<std::string_view> texts;
  for (const UnitSuffix& suffix : UnitSuffixes()) {
    if (std::find(units.begin(), units.end(), suffix.unit) != units.end()) {
      texts.push_back(suffix.text);
    }
  }
  return texts.empty() ? std::string() : fmt::format("({})", fmt::join(texts, "|"));
}

/// Adds the values that ConvertLiteral() accepts.
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
    // Unquoted, these words are booleans in YAML.
    if (word == "true" || word == "false") values.emplace_back(word == "true");
  }
  return {{"enum", std::move(values)}};
}

// Writes a schema, shape by shape. Mappings and numbers become `$defs`, so that "a limit" is
// written once for the hundred metrics that may have one:
//
//     Shape {is_text, units {time}}    {"anyOf": [{"type": [...]}, {"$ref": "#/$defs/number-ns"}]}
//     Shape of nothing                 {"not": {}}: no value is valid
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

  /// A reference to the schema in `$defs`, where equal schemas are stored once.
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

// The purpose of each key of configuration files, for schemas and manual pages. A test ensures that
// each key of the decoders has a line here, and each line has a key.

namespace {

struct Doc {
  std::string_view what, key, text;
};

constexpr std::string_view kLevelDoc = "level of a miss: info, warn or error";

constexpr std::string_view kPolicyDoc = "the policy: a file, or builtin:NAME";
constexpr std::string_view kDbDoc = "the history";
constexpr std::string_view kBaselineDoc =
    "runs to compare with: history:BRANCH~N, a baseline or a profile";
constexpr std::string_view kBaselineMissingDoc =
    "result of a missing baseline: pass, warn, no_verdict or fail (exit 2)";
constexpr std::string_view kRanksDoc = "how files become ranks of one run";
constexpr std::string_view kLabelsDoc = "labels of the metrics and of the report: NAME: TEXT";

constexpr Doc kDocs[] = {
    {"a policy", "schema", "version of the file format"},
    {"a policy", "extends", "policies that come first; built-in ones are builtin:NAME"},
    {"a policy", "fail_on", "lowest level that fails the run"},
    {"a policy", "on_missing", "result when a limited metric is missing"},
    {"a policy", "on_inconclusive", "result of an inconclusive comparison"},
    {"a policy", "unrecorded", "use of the times of unrecorded iterations"},
    {"a policy", "iterations", "which iterations are judged"},
    {"a policy", "ranks", "how many ranks a run must have"},
    {"a policy", "rules", "settings of rules, by id or pattern: a level, or a mapping"},
    {"a policy", "rule_files", "the project's rule files, relative to the policy's folder"},
    {"a policy", "thresholds", "limits on metrics; `off` removes an inherited limit"},
    {"a policy", "thresholds_of_analysis", "thresholds of the analysis"},
    {"a policy", "baseline", "how much metrics may change from the baseline"},
    {"a policy", "require", "rules that must apply"},
    {"a policy", "waivers", "findings and misses accepted until a date"},
    {"a policy", "tensor_core", "which kernels count as using Tensor Cores"},
    {"a policy", "devices", "file with peaks of devices"},

    {"`iterations`", "marker", "a regular expression for the ranges that mark iterations"},
    {"`iterations`", "key_op", "operator that starts an iteration"},
    {"`iterations`", "phase", "the phase of a serving engine whose steps are iterations"},
    {"`iterations`", "start", "the first iteration, counted from 0"},
    {"`iterations`", "stop", "the last iteration"},
    {"`iterations`", "warmup", "number of first iterations to skip"},
    {"`iterations`", "min", "fewest iterations for a verdict"},

    {"`ranks`", "expect", "expected number of ranks; default: as recorded"},
    {"`ranks`", "allow_missing", "number of ranks that may be missing"},
    {"`ranks`", "on_missing", "result if more are missing; default: no_verdict"},

    {"a rule's setting", "level", "level of the rule; off: not evaluated"},
    {"a rule's setting", "params", "parameters of the rule"},

    {"a limit", "min", "smallest allowed value"},
    {"a limit", "max", "largest allowed value"},
    {"a limit", "side", "any: allow a limit on the good side of the metric"},
    {"a limit", "level", kLevelDoc},
    {"a limit", "on_missing", "result if the metric is missing"},
    {"a limit", "when", "condition under which the limit applies; default: always"},

    {"`baseline`", "match", "properties that must be the same; any: none"},
    {"`baseline`", "missing", "result of a missing baseline; default: warn for a history"},
    {"`baseline`", "min_runs", "fewer runs count as no baseline; default: 1"},
    {"`baseline`", "anchor", "creep since the first runs of the level: off, or a separate limit"},
    {"`baseline`", "kernels", "limit on the time of each kernel, with at least 5 baseline runs"},
    {"`baseline`", "operators", "limit on the time of each operator"},
    {"`baseline`", "collectives", "limit on each collective's time, by kind and group size"},
    {"`baseline`", "modules", "limit on each module's time by itself, without modules inside"},
    {"`baseline`", "benchmarks", "limit on each benchmark of a file of times"},
    {"a limit on parts", "max_increase", "in percent; default: 5 %"},
    {"a limit on parts", "min_share",
     "smallest part of the iteration that is judged; default: 0.1 %"},
    {"a limit on parts", "level", kLevelDoc},
    {"a limit on parts", "on_missing", "skip: not applicable where no run has such parts"},
    {"`anchor`", "max_increase", "limit on the change since the anchor"},
    {"`baseline`", "noise_floor", "changes below it are noise"},
    {"`baseline`", "strictness", "certain: only certain changes fail"},
    {"a baseline limit", "max_increase",
     "in percent of the baseline's value (of a share, too), or in the metric's unit (of a share: "
     "0.05 "
     "is 5 points)"},
    {"a baseline limit", "max_decrease",
     "in percent of the baseline's value (of a share, too), or in the metric's unit (of a share: "
     "0.05 "
     "is 5 points)"},
    {"a baseline limit", "on_missing", "skip: not applicable where no run has the metric"},
    {"a baseline limit", "min_abs", "smaller changes pass, whatever the percentage"},
    {"a baseline limit", "total",
     "limit on the total of all iterations, for a typical time; off: not judged"},
    {"a baseline limit", "per", "sample: times are divided by the samples of an iteration"},
    {"a baseline limit", "side", "any: allow a limit on the good side"},
    {"a baseline limit", "level", kLevelDoc},

    {"`gain`", "scenario", "simulated durations without the finding's cause"},
    {"`gain`", "without_waiting",
     "whether selected collectives wait for no rank, if that is known"},
    {"`gain`", "keeps_up",
     "whether the rank of selected collectives arrives at each with the next to last"},
    {"`gain`", "host_reacts", "whether the host's other work may become slower"},
    {"a policy", "what_if", "scenarios to simulate"},
    {"a scenario", "name",
     "its metrics are what_if.NAME.iteration_time and what_if.NAME.gain_share"},
    {"a scenario", "scale", "work with changed durations"},
    {"a scenario", "without_waiting", "whether collectives wait for no rank"},
    {"a scenario", "findings", "rules whose own scenarios it makes together"},
    {"a change", "where", "a condition on host_op, api_call, launch or host_gap"},
    {"a change", "hides", "whether the selected transfers run beside computation instead"},
    {"a change", "by", "the factor of its time, at least 0"},
    {"a waiver", "rule", "the rule whose findings are accepted"},
    {"a waiver", "limit", "the metric of a `baseline` limit whose miss is accepted"},
    {"a waiver", "threshold", "the metric of a threshold whose miss is accepted"},
    {"a waiver", "up_to", "largest accepted change in percent, or value"},
    {"a waiver", "where", "condition for findings; default: all"},
    {"a waiver", "reason", "why"},
    {"a waiver", "owner", "who is responsible"},
    {"a waiver", "expires", "last day, e.g. 2027-03-31"},
    {"a waiver", "long", "true: the last day may be more than 180 days ahead"},

    {"`tensor_core`", "unknown", "how undecided kernels count"},
    {"`tensor_core`", "names", "a file with names of the project's kernels"},

    {"a rule file", "schema", "version of the file format"},
    {"a rule file", "namespace", "prefix of the ids of its rules"},
    {"a rule file", "rules", "the rules"},
    {"a rule file", "category", "the category of its rules"},
    {"a rule file", "let", "names for expressions, for all its rules"},
    {"an item", "when", "condition; default: always shown"},
    {"an item", "text", "a sentence or a point, with {{ expressions }}"},
    {"an item", "case", "items; the first whose condition is true is shown"},
    {"a name", "greatest", "expressions by id: the id of the largest; NAME.value is its value"},
    {"a name", "case", "texts; the first whose condition is true is used"},
    {"a case", "when", "condition; default: always true"},
    {"a case", "text", "the text"},
    {"a symptom", "when", "condition under which the rule is a consequence"},
    {"a symptom", "rule", "the rule"},
    {"a rule", "source", "origin of the rule"},
    {"a rule", "family",
     "a subject of several rules; the finding that saves most is shown as the cause of the others"},
    {"a rule", "change",
     "the change that its scenario is, as plans call it, with {{ expressions }}"},
    {"a rule", "next", "command for the next step, with {{ expressions }}"},
    {"a parameter", "formerly", "former names"},
    {"`metric`", "is", "a noun phrase for it, in reports"},
    {"`metric`", "of", "which of several it is of, e.g. rank {{ rank.id }}"},
    {"`gain`", "measured", "measured saving on one device, for `rules explain`"},
    {"a rule", "id", "its name in the namespace: small letters, digits, `-`"},
    {"a rule", "title", "one line; may name parts of the device: {{ device.core }}"},
    {"a rule", "category", "topic"},
    {"a rule", "formerly", "former ids"},
    {"a rule", "for_each",
     "table whose rows the rule evaluates, e.g. `kernel`; `profile`: once per run"},
    {"a rule", "needs", "required fields; without them the rule does not apply"},
    {"a rule", "params", "numbers that a policy may set"},
    {"a rule", "where", "which rows"},
    {"a rule", "group_by", "rows with the same values are one finding"},
    {"a rule", "report", "of several groups: the worst, or each"},
    {"a rule", "let", "names for expressions"},
    {"a rule", "when", "condition for the rule to fire"},
    {"a rule", "metric", "measured value and its limits"},
    {"a rule", "sure_when",
     "condition for an error; if false, the finding is a warning and the verdict stays undecided"},
    {"a rule", "level", "the level of a rule without limits on its metric"},
    {"a rule", "gain", "estimated saving per iteration"},
    {"a rule", "evidence", "the rows to show"},
    {"a rule", "explains", "rules whose findings are consequences of this one"},
    {"a rule", "explains_when", "the same, each with a condition"},
    {"a rule", "message", "finding in words, with {{ expressions }}"},
    {"a rule", "advice", "what to do, with {{ expressions }}"},
    {"a rule", "docs", "where to read more"},
    {"a parameter", "default", "value without a setting in the policy"},
    {"a parameter", "doc", "meaning"},
    {"`metric`", "value", "an expression"},
    {"`metric`", "show_as", "how the value is written"},
    {"`metric`", "warn_above", "an expression; a higher value is a warning"},
    {"`metric`", "error_above", "an expression; a higher value is an error"},
    {"`metric`", "warn_below", "an expression; a lower value is a warning"},
    {"`metric`", "error_below", "an expression; a lower value is an error"},
    {"`gain`", "value", "an expression for the time"},
    {"`gain`", "at_most", "the most of it that can be saved, where that is less"},
    {"`gain`", "bound", "type of the estimate"},
    {"`gain`", "why", "reason for the estimate"},
    {"`evidence`", "order_by", "an expression; the largest first"},
    {"`evidence`", "limit", "maximum number of rows"},
    {"`evidence`", "columns", "columns of the evidence table"},
    {"a column", "head", "its head; may name parts of the device, as a title does"},
    {"a column", "value", "an expression"},
    {"a column", "show_as", "how the value is written"},
    {"a column", "style", "code: in a fixed-width font"},

    {"a test file", "schema", "version of the file format"},
    {"a test file", "rules", "the rule files that are tested"},
    {"a test file", "tests", "the tests"},
    {"a test", "name", "shown expression"},
    {"a test", "given", "metrics, facts and rows; everything else is absent"},
    {"a test", "params", "parameters, by rule"},
    {"a test", "expect", "expected results of rules"},
    {"an expectation", "rule", "the rule"},
    {"an expectation", "level", "level of the finding"},
    {"an expectation", "status", "expected status"},
    {"an expectation", "metric", "expected value, to the given digits"},
    {"an expectation", "gain", "estimated saving per iteration"},
    {"an expectation", "rows", "number of evidence rows"},
    {"an expectation", "message", "the message, or contains '…', starts_with, ends_with, matches"},
    {"an expectation", "advice", "expected advice, or not contains '…'"},
    {"an expectation", "because", "reason why it does not apply"},
    {"a metric", "absent", "reason why it has no value"},
    {"a metric", "value", "its value"},
    {"a metric", "low_confidence", "reason why it is uncertain"},

    {"a file of devices", "schema", "version of the file format"},
    {"a file of devices", "devices", "the devices; the first that matches counts"},
    {"a device", "match", "a part of the device's name"},
    {"a device", "name", "name in reports"},
    {"a device", "compute_capability", "e.g. 9.0"},
    {"a device", "sms", "number of multiprocessors"},
    {"a device", "memory", "its size"},
    {"a device", "max_threads_per_sm", "maximum resident threads per multiprocessor"},
    {"a device", "warp_size", "threads of a warp"},
    {"a device", "memory_bandwidth", "its peak"},
    {"a device", "peak", "peak rates of operations, by type"},
    {"`peak`", "float64", "64-bit floats"},
    {"`peak`", "float64_matrix", "64-bit floats in matmuls, if faster"},
    {"`peak`", "float32", "32-bit floats"},
    {"`peak`", "float32_matrix", "32-bit floats in matmuls, if faster"},
    {"`peak`", "tf32", "TF32"},
    {"`peak`", "float16", "16-bit floats"},
    {"`peak`", "bfloat16", "bfloat16"},
    {"`peak`", "float8", "8-bit floats"},
    {"`peak`", "int8", "8-bit integers"},

    {"a configuration", "schema", "version of the file format"},
    {"a configuration", "policy", kPolicyDoc},
    {"a configuration", "db", kDbDoc},
    {"a configuration", "baseline", kBaselineDoc},
    {"a configuration", "baseline_missing", kBaselineMissingDoc},
    {"a configuration", "learning_until",
     "the last day on which the history may be without runs: then nothing is compared"},
    {"a configuration", "ranks", kRanksDoc},
    {"a configuration", "labels", kLabelsDoc},
    {"a configuration", "jobs", "the runs that `profgauge check` judges without a profile"},
    {"a configuration", "queries", "statements for `profgauge query PROFILE @NAME`"},
    {"a query", "name", "its name after `@`"},
    {"a query", "title", "the question, for `profgauge query --list`"},
    {"a query", "answers", "the meaning of the answer"},
    {"a query", "sql", "one SELECT; `profgauge rules check FILE` checks it"},
    {"a query", "params", "values of `:NAME` in the statement"},
    {"a query parameter", "type", "integer, real, text or any (default: a number if it is one)"},
    {"a query parameter", "default", "its value if `--param` does not set it"},
    {"a job", "name", "the name of its run and of its folder of reports"},
    {"a job", "inputs", "profiles or folders; `*` matches part of a name, `**` any folders"},
    {"a job", "take", "the latest run that `inputs` match, all of them, or all together (pooled)"},
    {"a job", "policy", kPolicyDoc},
    {"a job", "db", kDbDoc},
    {"a job", "baseline", kBaselineDoc},
    {"a job", "baseline_missing", kBaselineMissingDoc},
    {"a job", "learning_until",
     "the last day on which the history may be without runs: then nothing is compared"},
    {"a job", "ranks", kRanksDoc},
    {"a job", "labels", kLabelsDoc},

    {"a file of kernel names", "schema", "version of the file format"},
    {"a file of kernel names", "names", "rules for names; the first that matches counts"},
    {"a name rule", "id", "its name in reports"},
    {"a name rule", "matches", "a regular expression for kernel names"},
    {"a name rule", "except", "a regular expression for names to leave out"},
    {"a name rule", "uses_tensor_core", "kind of communication"},
    {"a name rule", "communication", "whether such kernels move data between ranks, and how"},
};

}  // namespace

std::string_view KeyDoc(std::string_view what, std::string_view key) {
  const auto doc = std::find_if(std::begin(kDocs), std::end(kDocs),
                                [&](const Doc& d) { return d.what == what && d.key == key; });
  return doc == std::end(kDocs) ? std::string_view() : doc->text;
}

}  // namespace profgauge::rules
