#include "rules/rule_test_decode.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "rules/policy_decode.h"
#include "rules/rule_test.h"

namespace profgauge::rules {
namespace {

constexpr Decoder::Word<std::string_view> kStatuses[] = {
    {"error", "error"},   {"warn", "warn"},     {"info", "info"},
    {"pass", "pass"},     {"good", "good"},     {"not_found", "not_found"},
    {"waived", "waived"}, {"broken", "broken"}, {"not_applicable", "not_applicable"},
};

/// Digits after the point of a number as written: 1 in "30.5 ms".
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
  // One unit in base units, from the text itself: "1 ms" is 1e6.
  const std::string_view text = Trim(node.text);
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const std::size_t length = NumberLength(digits);
  const UnitSuffix* suffix = FindUnitSuffix(Trim(digits.substr(length)));
  const double step = ScaledNumber("1", suffix) * std::pow(10.0, -DecimalsOf(digits));
  // An exponent moves the last digit; such numbers are compared nearly exactly.
  const bool has_exponent = digits.substr(0, length).find_first_of("eE") != std::string_view::npos;
  expected.tolerance = has_exponent ? std::abs(literal->value) * 1e-9 : step / 2;
  return expected;
}

/// "contains 'x'" or the text itself.
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
  // Slightly more than the half digit, for fractions that have no exact binary form.
  const double off = std::abs(AsNumber(value, 0) - *wanted);
  if (off <= expected.tolerance * (1 + 1e-9)) return std::nullopt;
  return fmt::format("expected {}, found {} (exactly {})", expected.text,
                     WithPlainBlanks(FormatValue(value, unit)), FormatExact(value, unit));
}

}  // namespace profgauge::rules
