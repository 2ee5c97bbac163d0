#include "rules/condition.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/diagnostic.h"
#include "base/format.h"
#include "base/literal.h"
#include "base/text.h"

namespace profgauge {
namespace {

/// One `metric op literal` of a conjunction.
struct Term {
  const MetricSpec* metric = nullptr;
  std::string_view op;
  double limit = 0;
  std::string_view text;
};

// Longer ones first, so that "<=" is not read as "<".
constexpr std::array<std::string_view, 6> kOperators = {"<=", ">=", "==", "!=", "<", ">"};

bool Holds(const Term& term, double value) {
  if (term.op == "<=") return value <= term.limit;
  if (term.op == ">=") return value >= term.limit;
  if (term.op == "==") return value == term.limit;
  if (term.op == "!=") return value != term.limit;
  if (term.op == "<") return value < term.limit;
  return value > term.limit;
}

void AddError(Errors& errors, const SourceText& source, std::string_view part,
              std::string_view code, std::string message) {
  const auto offset = static_cast<std::size_t>(part.data() - source.text.data());
  errors.push_back({ErrorKind::kConfig,
                    std::string(code),
                    std::move(message),
                    source.At(offset, part.size()),
                    {}});
}

std::optional<Term> ParseTerm(const SourceText& source, std::string_view part, Errors& errors) {
  Term term;
  term.text = part;
  std::size_t at = std::string_view::npos;
  for (const std::string_view op : kOperators) {
    at = part.find(op);
    term.op = op;
    if (at != std::string_view::npos) break;
  }
  if (at == std::string_view::npos) {
    AddError(errors, source, part, "policy/condition",
             "expected a comparison such as `profile.gpus >= 2`");
    return std::nullopt;
  }
  const std::string_view name = Trim(part.substr(0, at));
  const std::string_view limit = Trim(part.substr(at + term.op.size()));
  term.metric = FindMetric(name);
  if (term.metric == nullptr) {
    AddError(errors, source, name, "policy/unknown-metric",
             fmt::format("unknown metric `{}`", PrintableShort(name)));
    std::vector<std::string_view> ids;
    for (const MetricSpec& spec : MetricCatalogue()) ids.push_back(spec.id);
    const std::string_view nearest = DidYouMean(name, ids);
    if (!nearest.empty()) {
      errors.back().notes.push_back(fmt::format("help: did you mean `{}`?", nearest));
    }
    return std::nullopt;
  }
  const auto literal = ParseLiteral(limit);
  const auto value = literal ? ConvertLiteral(*literal, term.metric->unit)
                             : tl::expected<double, std::string>(tl::unexpect, literal.error());
  if (!value) {
    AddError(errors, source, limit, "config/unit", value.error());
    return std::nullopt;
  }
  term.limit = *value;
  return term;
}

std::vector<Term> ParseTerms(const SourceText& source, Errors& errors) {
  constexpr std::string_view kAnd = " and ";
  std::vector<Term> terms;
  std::string_view rest = source.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(kAnd), rest.size());
    if (auto term = ParseTerm(source, Trim(rest.substr(0, end)), errors)) terms.push_back(*term);
    rest.remove_prefix(std::min(end + kAnd.size(), rest.size()));
  }
  return terms;
}

}  // namespace

Errors CheckCondition(const SourceText& condition) {
  Errors errors;
  ParseTerms(condition, errors);
  return errors;
}

std::optional<std::string> WhyNotMet(const SourceText& condition, const Analysis& analysis) {
  Errors ignored;
  for (const Term& term : ParseTerms(condition, ignored)) {
    const Metric* metric = analysis.Find(term.metric->id);
    if (metric == nullptr || IsAbsent(metric->value)) {
      return fmt::format("`{}` cannot be told: {}", term.text,
                         metric == nullptr || metric->absent_because.empty()
                             ? std::string("this profile does not have it")
                             : metric->absent_because);
    }
    if (!Holds(term, AsNumber(metric->value, 0))) {
      return fmt::format("`{}` does not hold: it is {}", term.text,
                         FormatValue(metric->value, term.metric->unit));
    }
  }
  return std::nullopt;
}

}  // namespace profgauge
