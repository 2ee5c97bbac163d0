#include "rules/rule_test_decode.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "base/whole.h"
#include "rules/catalogue_words.h"
#include "rules/policy_decode.h"
#include "rules/rule_test.h"

namespace profgauge::rules {
namespace {

constexpr Decoder::Word<std::string_view> kStatuses[] = {
    {"error", "error"},   {"warn", "warn"},     {"info", "info"},
    {"pass", "pass"},     {"good", "good"},     {"not_found", "not_found"},
    {"waived", "waived"}, {"broken", "broken"}, {"not_applicable", "not_applicable"},
};

/// The number of decimals as written: 1 for "30.5 ms".
int DecimalsOf(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return 0;
  const std::size_t end = text.find_first_not_of("0123456789", point + 1);
  return static_cast<int>(std::min(end, text.size()) - point - 1);
}

std::optional<ExpectedNumber> DecodeNumber(Decoder& decoder, const YamlNode& node,
                                           std::string_view what) {
  const auto literal = decoder.Number(node, what);
  if (!literal) return std::nullopt;
  ExpectedNumber expected{*literal, 0, node.text};
  // One of the written unit in base units, by the text: 1e6 for "1 ms".
  const std::string_view text = Trim(node.text);
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const std::size_t length = NumberLength(digits);
  const UnitSuffix* suffix = FindUnitSuffix(Trim(digits.substr(length)));
  const double step = ScaledNumber("1", suffix) * std::pow(10.0, -DecimalsOf(digits));
  // The last digit cannot be found in a number with an exponent, so it is compared almost exactly.
  const bool has_exponent = digits.substr(0, length).find_first_of("eE") != std::string_view::npos;
  expected.tolerance = has_exponent ? std::abs(literal->value) * 1e-9 : step / 2;
  return expected;
}

/// Reads an expected text: "contains 'x'", or the text itself.
std::optional<ExpectedText> DecodeText(Decoder& decoder, const YamlNode& node,
                                       std::string_view what) {
  using Match = ExpectedText::Match;
  constexpr std::pair<std::string_view, Match> kOperators[] = {
      {"contains", Match::kContains},
      {"not contains", Match::kNotContains},
      {"starts_with", Match::kStartsWith},
      {"ends_with", Match::kEndsWith},
      {"matches", Match::kMatches}};
  const auto text = decoder.Text(node, what);
  if (!text) return std::nullopt;
  for (const auto& [name, match] : kOperators) {
    if (!text->starts_with(name)) continue;
    const std::string_view rest = Trim(std::string_view(*text).substr(name.size()));
    if (rest.size() < 2 || rest.front() != '\'' || rest.back() != '\'') continue;
    ExpectedText expected{match, std::string(rest.substr(1, rest.size() - 2))};
    if (match == Match::kMatches && !re2::RE2(expected.text, re2::RE2::Quiet).ok()) {
      decoder.Add(node, "rules/pattern",
                  fmt::format("`{}`: not a regular expression: `{}`", what,
                              PrintableShort(expected.text, 40)));
    }
    return expected;
  }
  return ExpectedText{Match::kEquals, *text};
}

void DecodeExpectation(Decoder& decoder, const YamlNode& node, std::vector<RuleExpectation>& out) {
  RuleExpectation expected;
  expected.where = decoder.document().At(node);
  const auto status = [&](std::string_view name) {
    return Decoder::Key{name, [&decoder, &expected, name](const YamlNode& n) {
                          Set(expected.status, decoder.OneOf<std::string_view>(n, name, kStatuses));
                        }};
  };
  const Decoder::Key kKeys[] = {
      {"rule", [&](const YamlNode& n) { Set(expected.rule, decoder.Text(n, "rule")); }, true},
      status("level"),
      status("status"),
      {"metric", [&](const YamlNode& n) { expected.metric = DecodeNumber(decoder, n, "metric"); }},
      {"gain", [&](const YamlNode& n) { expected.gain = DecodeNumber(decoder, n, "gain"); }},
      {"rows",
       [&](const YamlNode& n) { expected.rows = decoder.Integer(n, "rows", 0, 1'000'000'000); }},
      {"message", [&](const YamlNode& n) { expected.message = DecodeText(decoder, n, "message"); }},
      {"advice", [&](const YamlNode& n) { expected.advice = DecodeText(decoder, n, "advice"); }},
      {"because", [&](const YamlNode& n) { expected.because = decoder.Text(n, "because"); }},
  };
  decoder.Map(node, "an expectation", kKeys);
  if (node.Find("level") != nullptr && node.Find("status") != nullptr) {
    decoder.Add(node, "rules/two-levels", "`level` and `status` say the same; give one");
  }
  if (node.kind == YamlNode::Kind::kMap && node.entries.size() == 1) {
    decoder.Add(node, "rules/nothing-expected", "the expectation says nothing about the rule")
        .notes.emplace_back("help: add `level: error`, or `status: pass`");
  }
  out.push_back(std::move(expected));
}

void DecodeTest(Decoder& decoder, const YamlNode& node, std::vector<RuleTestCase>& out) {
  RuleTestCase test;
  test.where = decoder.document().At(node);
  const Decoder::Key kKeys[] = {
      {"name",
       [&](const YamlNode& n) {
         Set(test.name, decoder.Text(n, "name"));
         test.where = decoder.document().At(n);
       },
       true},
      {"given",
       [&](const YamlNode& n) {
         Given given = DecodeGiven(decoder, n);
         test.given = std::move(given.analysis);
         test.facts = std::move(given.facts);
       },
       true},
      {"params",
       [&](const YamlNode& n) {
         decoder.EachEntry(n, "`params`", [&](const YamlNode& rule, const YamlNode& params) {
           RuleSetting setting{rule.text, std::nullopt, {}, decoder.document().At(rule)};
           decoder.EachEntry(params, "`params`", [&](const YamlNode& name, const YamlNode& value) {
             if (const auto literal = decoder.Number(value, name.text)) {
               setting.params.insert_or_assign(
                   name.text, RuleSetting::Param{*literal, decoder.document().At(value)});
             }
           });
           test.params.push_back(std::move(setting));
         });
       }},
      {"expect",
       [&](const YamlNode& n) {
         decoder.EachItem(n, "`expect`", [&](const YamlNode& item) {
           DecodeExpectation(decoder, item, test.expect);
         });
       },
       true},
  };
  decoder.Map(node, "a test", kKeys);
  out.push_back(std::move(test));
}

}  // namespace

void DecodeRuleTests(Decoder& decoder, RuleTestFile& out) {
  const Decoder::Key kKeys[] = {
      {"schema", [&](const YamlNode& n) { decoder.Schema(n); }, true},
      {"rules",
       [&](const YamlNode& n) {
         for (const SourceText& path : decoder.Sources(n, "rules")) {
           out.rules.push_back(ResolvePath(path.text, decoder.document().file));
         }
       },
       true},
      {"tests",
       [&](const YamlNode& n) {
         decoder.EachItem(n, "`tests`",
                          [&](const YamlNode& item) { DecodeTest(decoder, item, out.tests); });
       },
       true},
  };
  decoder.Map(decoder.document().root, "a test file", kKeys);
}

tl::expected<RuleTestFile, Errors> ParseRuleTests(std::string_view text, const std::string& file) {
  Errors errors;
  RuleTestFile out;
  out.file = file;
  if (const auto document = ParseYaml(text, file, errors)) {
    Decoder decoder(*document, errors);
    DecodeRuleTests(decoder, out);
  }
  SortByPlace(errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return out;
}

std::optional<std::string> Differs(const ExpectedText& expected, std::string_view text) {
  using Match = ExpectedText::Match;
  const std::string found = WithPlainBlanks(text);
  const std::string wanted = WithPlainBlanks(expected.text);
  const std::string quoted = fmt::format("'{}'", Printable(found));
  switch (expected.match) {
    case Match::kEquals:
      if (found == wanted) return std::nullopt;
      return fmt::format("expected '{}', found {}", Printable(wanted), quoted);
    case Match::kContains:
      if (found.find(wanted) != std::string::npos) return std::nullopt;
      return fmt::format("expected a text that contains '{}', found {}", Printable(wanted), quoted);
    case Match::kNotContains:
      if (found.find(wanted) == std::string::npos) return std::nullopt;
      return fmt::format("expected a text without '{}', found {}", Printable(wanted), quoted);
    case Match::kStartsWith:
      if (found.starts_with(wanted)) return std::nullopt;
      return fmt::format("expected a text that starts with '{}', found {}", Printable(wanted),
                         quoted);
    case Match::kEndsWith:
      if (found.ends_with(wanted)) return std::nullopt;
      return fmt::format("expected a text that ends with '{}', found {}", Printable(wanted),
                         quoted);
    case Match::kMatches:
      if (re2::RE2::PartialMatch(found, re2::RE2(wanted, re2::RE2::Quiet))) return std::nullopt;
      return fmt::format("expected a text that matches '{}', found {}", Printable(wanted), quoted);
  }
  return std::nullopt;
}

std::optional<std::string> Differs(const ExpectedNumber& expected, const Value& value, Unit unit) {
  if (IsAbsent(value)) return fmt::format("expected {}, found nothing", expected.text);
  const auto wanted = ConvertLiteral(expected.literal, unit);
  if (!wanted) return fmt::format("expected {}, but {}", expected.text, wanted.error());
  // Allows slightly more than half a digit, because many fractions have no exact binary form.
  const double off = std::abs(AsNumber(value, 0) - *wanted);
  if (off <= expected.tolerance * (1 + 1e-9)) return std::nullopt;
  return fmt::format("expected {}, found {} (exactly {})", expected.text,
                     WithPlainBlanks(FormatValue(value, unit)), FormatExact(value, unit));
}

namespace {

constexpr std::string_view kNotGiven = "the test does not give it";

/// Reads a scalar as a value of `unit`; absent if it is null, and after an error.
Value DecodeValue(Decoder& decoder, const YamlNode& node, std::string_view what, Unit unit) {
  if (decoder.IsNull(node)) return {};
  if (unit == Unit::kText) {
    auto text = decoder.Text(node, what);
    return text ? Value(*std::move(text)) : Value{};
  }
  if (unit == Unit::kBool) {
    const auto flag = decoder.Bool(node, what);
    return flag ? Value(*flag) : Value{};
  }
  const auto number = decoder.NumberOf(node, what, unit);
  if (!number) return {};
  if (CellTypeOf(unit) == CellType::kReal) return *number;
  if (const auto whole = Nearest(*number)) return *whole;
  decoder.Add(node, "config/number",
              fmt::format("`{}`: {} is larger than any {}", what, *number, UnitName(unit)));
  return {};
}

void AddCell(Column& column, const Value& value, StringPool& strings) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    column.AddText(strings.Intern(*text));
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    column.AddInteger(*flag ? 1 : 0);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    column.AddInteger(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    column.AddReal(*real);
  } else {
    column.AddAbsent();
  }
}

const analysis::TableSpec* FindByRowName(std::string_view row_name) {
  for (const analysis::TableSpec& spec : analysis::TableCatalogue()) {
    if (spec.row_name == row_name) return &spec;
  }
  return nullptr;
}

/// Builds the given data. At first everything is absent, with a reason that names the test. Then
/// each key adds a metric, fact or table. So a rule that reads more than its test gives is "not
/// applicable" instead of a pass.
class GivenBuilder {
 public:
  explicit GivenBuilder(Decoder& decoder) : decoder_(decoder) {
    for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
      analysis_.metrics.push_back({&spec, {}, std::string(kNotGiven), false, ""});
    }
    for (const analysis::TableSpec& spec : analysis::TableCatalogue()) {
      analysis_.tables.emplace_back(spec.id, spec.row_name, InGeneralWords(spec.title), strings_);
      analysis_.absent_tables.emplace(
          spec.id, fmt::format("the test gives no rows called `{}`", spec.row_name));
    }
  }

  Given Build(const YamlNode& node) {
    decoder_.EachNamed(node, "`given`", Names(), [&](const YamlNode& key, const YamlNode& value) {
      if (value.kind == YamlNode::Kind::kList) {
        AddRows(key, value);
      } else if (analysis::DescribeMetric(key.text) != nullptr ||
                 value.kind != YamlNode::Kind::kMap) {
        AddMetric(key, key.text, value);
      } else {
        AddGroup(key, value);
      }
    });
    AddWords();
    return {std::move(analysis_), std::move(facts_)};
  }

 private:
  /// Valid names of keys: rows, metrics, facts, and prefixes of ids ("gpu.idle", "gpu").
  static std::vector<std::string_view> Names() {
    std::vector<std::string_view> names;
    for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
      if (!table.row_name.empty()) names.push_back(table.row_name);
    }
    for (const std::string_view id : Ids()) {
      names.push_back(id);
      for (std::size_t at = id.find('.'); at != std::string_view::npos; at = id.find('.', at + 1)) {
        names.push_back(id.substr(0, at));
      }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  static std::vector<std::string_view> Ids() {
    std::vector<std::string_view> ids;
    for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) ids.push_back(spec.id);
    for (const FactSpec& fact : FactCatalogue()) ids.push_back(fact.name);
    return ids;
  }

  /// Adds the device words of the test's vendor, or else NVIDIA's. Keeps words that the test gives.
  void AddWords() {
    const auto vendor = facts_.find("device.vendor");
    const auto* id = vendor == facts_.end() ? nullptr : std::get_if<std::string>(&vendor->second);
    Facts words;
    AddDeviceWords(id == nullptr ? Accelerator::kNvidia : FindAccelerator(*id), words);
    facts_.merge(words);
  }

  /// Expands a group of keys: {idle: {mean: 40%}} becomes {idle.mean: 40%}.
  void AddGroup(const YamlNode& group, const YamlNode& node) {
    std::vector<std::string_view> rest;
    for (const std::string_view id : Ids()) {
      if (id.starts_with(group.text + ".")) rest.push_back(id.substr(group.text.size() + 1));
    }
    decoder_.EachNamed(
        node, "`given`", rest,
        [&](const YamlNode& key, const YamlNode& value) {
          AddMetric(key, group.text + "." + key.text, value);
        },
        true);
  }

  void AddMetric(const YamlNode& key, const std::string& id, const YamlNode& node) {
    const auto metric = std::find_if(analysis_.metrics.begin(), analysis_.metrics.end(),
                                     [&](const analysis::Metric& m) { return m.spec->id == id; });
    if (metric == analysis_.metrics.end()) {
      if (AddFact(id, node)) return;
      Error& error = decoder_.Add(key, "rules/unknown-metric",
                                  fmt::format("unknown metric `{}`", PrintableShort(id)));
      AddSuggestion(error, id, Ids());
      return;
    }
    if (node.kind == YamlNode::Kind::kMap) {
      const Decoder::Key kKeys[] = {
          {"absent",
           [&](const YamlNode& n) {
             metric->absent_because = decoder_.Text(n, "absent").value_or("");
           }},
          {"value",
           [&](const YamlNode& n) {
             metric->value = DecodeValue(decoder_, n, id, metric->spec->unit);
           }},
          {"low_confidence",
           [&](const YamlNode& n) {
             metric->note = decoder_.Text(n, "low_confidence").value_or("");
             metric->low_confidence = true;
           }},
      };
      decoder_.Map(node, "a metric", kKeys);
    } else {
      metric->value = DecodeValue(decoder_, node, id, metric->spec->unit);
    }
    if (!IsAbsent(metric->value)) metric->absent_because.clear();
  }

  /// Adds a fact; false if `id` names none.
  bool AddFact(const std::string& id, const YamlNode& node) {
    for (const FactSpec& fact : FactCatalogue()) {
      if (fact.name != id) continue;
      facts_[id] = DecodeValue(decoder_, node, id, fact.unit);
      return true;
    }
    return false;
  }

  void AddRows(const YamlNode& key, const YamlNode& list) {
    const analysis::TableSpec* spec = FindByRowName(key.text);
    if (spec == nullptr) {
      std::vector<std::string_view> names;
      for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
        if (!table.row_name.empty()) names.push_back(table.row_name);
      }
      Error& error =
          decoder_.Add(key, "rules/unknown-table",
                       fmt::format("there are no rows called `{}`", PrintableShort(key.text)));
      AddSuggestion(error, key.text, names);
      error.notes.push_back(fmt::format("note: rows are called {}", Joined(names)));
      return;
    }
    auto& table =
        analysis_.tables[static_cast<std::size_t>(spec - analysis::TableCatalogue().data())];
    for (const ColumnSpec& column : spec->columns) table.AddColumn(column);
    std::vector<bool> has_value(spec->columns.size(), list.items.empty());
    decoder_.EachItem(list, fmt::format("`{}`", key.text),
                      [&](const YamlNode& row) { AddRow(*spec, row, table, has_value); });
    for (std::size_t i = 0; i < has_value.size(); ++i) {
      if (!has_value[i]) table.columns()[i].MarkAbsent(std::string(kNotGiven));
    }
    analysis_.absent_tables.erase(analysis_.absent_tables.find(spec->id));
  }

  /// Replaces ids of values by the cells' texts: tests may use ids, like rules, or reports' titles.
  void NameValue(const std::string& name, const YamlNode& node, Value& cell) {
    auto* text = std::get_if<std::string>(&cell);
    const expr::Enumeration* known = KnownValuesOf(name);
    if (text == nullptr || known == nullptr) return;
    std::vector<std::string_view> ids;
    for (const expr::EnumValue& value : known->values) {
      ids.push_back(value.id);
      if (*text == value.id || *text == value.cell) {
        *text = value.cell;
        return;
      }
    }
    if (known->is_open) return;
    Error& error = decoder_.Add(node, "rules/unknown-value",
                                fmt::format("`{}` is never '{}'", name, PrintableShort(*text, 40)));
    AddSuggestion(error, *text, ids);
    error.notes.push_back(fmt::format("note: values are {}", Joined(ids)));
  }

  void AddRow(const analysis::TableSpec& spec, const YamlNode& row, Table& table,
              std::vector<bool>& has_value) {
    std::vector<Value> cells(spec.columns.size());
    std::vector<Decoder::Key> keys;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const ColumnSpec& column = spec.columns[i];
      keys.push_back({column.id, [this, &spec, &cells, &column, i](const YamlNode& n) {
                        cells[i] = DecodeValue(decoder_, n, column.id, column.unit);
                        NameValue(fmt::format("{}.{}", spec.row_name, column.id), n, cells[i]);
                      }});
    }
    decoder_.MapWithNulls(row, fmt::format("a row `{}`", spec.row_name), keys);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      AddCell(table.columns()[i], cells[i], *strings_);
      if (!IsAbsent(cells[i])) has_value[i] = true;
    }
  }

  Decoder& decoder_;
  analysis::Analysis analysis_;
  Facts facts_;
  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
};

}  // namespace

Given DecodeGiven(Decoder& decoder, const YamlNode& node) {
  return GivenBuilder(decoder).Build(node);
}

}  // namespace profgauge::rules
