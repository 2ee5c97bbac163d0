// The end of the page: environment, import log, definitions, provenance and missing data.
#include "render/html/view_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/hashes.h"
#include "render/html/compact.h"
#include "render/html/page_assets.h"
#include "render/html/view.h"
#include "render/html/view_verdict.h"
#include "render/shared/columns.h"
#include "render/shared/looks.h"
#include "render/shared/report_text.h"
#include "render/shared/template.h"
#include "render/shared/words.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;

json::array Pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  json::array out;
  for (const auto& [name, text] : pairs)
    out.push_back(json::object{{"name", name}, {"text", text}});
  return out;
}

json::array ImportView(const report::Report& report) {
  json::array out;
  for (const report::ImportCounter& counter : report.import) {
    const StatusLook look = LookOf(counter.severity);
    std::string examples;
    for (const std::string& example : counter.examples) {
      examples += (examples.empty() ? "" : ", ") + example;
    }
    out.push_back(json::object{{"sign", look.sign},
                               {"word", look.word},
                               {"name", look.name()},
                               {"count", FormatCount(static_cast<std::int64_t>(counter.count))},
                               {"text", counter.text},
                               {"counter", counter.name},
                               {"examples", std::move(examples)}});
  }
  return out;
}

// A check looks like a limit: lost data is an error, uncertain data is a warning.
StatusLook LookOfCheck(CheckState state) {
  switch (state) {
    case CheckState::kLost:
      return LookOf(report::State::kError);
    case CheckState::kDoubt:
      return LookOf(report::State::kWarn);
    case CheckState::kUnknown:
      return LookOf(report::State::kNotApplicable);
    case CheckState::kOk:
      break;
  }
  return LookOf(report::State::kPass);
}

/// The certificate: a table of failed checks, and the titles of others.
json::object QualityView(const Certificate& recording, bool has_remarks) {
  json::array checks;
  std::string fine;
  for (const CertificateCheck* check : ChecksByWeight(recording)) {
    if (check->state == CheckState::kOk && check->text.empty()) {
      fine += (fine.empty() ? "" : " · ") + check->title;
      continue;
    }
    const StatusLook look = LookOfCheck(check->state);
    checks.push_back(json::object{{"sign", look.sign},
                                  {"name", look.name()},
                                  {"word", StateText(check->state)},
                                  {"title", check->title},
                                  {"found", FoundText(*check)},
                                  {"advice", check->advice}});
  }
  const bool has_checks = !checks.empty();
  const bool known = !recording.checks.empty();
  return {{"known", known || has_remarks},  {"trust", known ? TrustText(recording.trust) : ""},
          {"line", QualityText(recording)}, {"has_checks", has_checks},
          {"checks", std::move(checks)},    {"fine", fine}};
}

// A formula that several metrics share is shown only at the first of them.
std::string FormulaOf(const report::Metric& metric,
                      std::map<std::string_view, std::string_view>& known) {
  constexpr std::size_t kLongFormula = 50;
  const auto [first, is_new] = known.try_emplace(metric.formula, metric.id);
  if (is_new || metric.formula.size() < kLongFormula) return metric.formula;
  return fmt::format("as {}", first->second);
}

json::array MetricsView(const report::Report& report) {
  json::array out;
  std::map<std::string_view, std::string_view> formulas;
  for (const report::Metric& metric : report.metrics) {
    if (IsAbsent(metric.quantity.value)) continue;
    std::string better;
    if (metric.better == report::Better::kHigher) better = "↑";
    if (metric.better == report::Better::kLower) better = "↓";
    out.push_back(json::object{{"id", metric.id},
                               {"title", metric.title},
                               {"definition", metric.definition},
                               {"formula", FormulaOf(metric, formulas)},
                               {"source", metric.source == "ours" ? "" : metric.source},
                               {"better", std::move(better)},
                               {"number", NumberView(metric.quantity)},
                               {"note", metric.note}});
  }
  return out;
}

using IdsAndReasons = std::vector<std::pair<std::string, std::string>>;

// What is missing, by reason, since many share one.
json::array ByReason(const IdsAndReasons& missing) {
  std::vector<std::pair<std::string, std::string>> by_reason;
  for (const auto& [id, reason] : missing) {
    auto group = std::ranges::find(by_reason, reason, &std::pair<std::string, std::string>::first);
    if (group == by_reason.end()) group = by_reason.insert(group, {reason, ""});
    group->second += (group->second.empty() ? "" : ", ") + id;
  }
  json::array out;
  for (const auto& [reason, ids] : by_reason) {
    out.push_back(json::object{{"reason", reason}, {"ids", ids}});
  }
  return out;
}

IdsAndReasons AbsentMetrics(const report::Report& report) {
  IdsAndReasons absent;
  for (const report::Metric& metric : report.metrics) {
    if (!IsAbsent(metric.quantity.value)) continue;
    absent.emplace_back(metric.id, metric.quantity.absent_because);
  }
  return absent;
}

}  // namespace

boost::json::object PackedView(const report::Report& report) {
  json::array metrics = MetricsView(report), absent = ByReason(AbsentMetrics(report));
  const bool has_absent = !absent.empty();
  json::object view = SilentRulesView(report);
  view["metrics"] = std::move(metrics);
  view["absent_metrics"] = std::move(absent);
  view["has_absent_metrics"] = has_absent;
  return view;
}

boost::json::object NotesView(const report::Report& report) {
  json::array remarks;
  for (const report::Remark& remark : report.remarks) {
    remarks.push_back(json::object{{"id", remark.id}, {"text", remark.text}});
  }
  // Lists that few readers open are packed, because they were a fifth of a small page.
  std::string packed = Packed(CompactMarkup(RenderTemplate(kPages, "packed", PackedView(report))));
  json::object view{
      {"environment", Pairs(report.environment)},
      {"provenance", Pairs(ListedProvenance(report))},
      {"quality_title", report.profile.format == "times" ? "Notes" : "Profile quality"},
      {"quality", QualityView(report.recording, !report.remarks.empty())},
      {"absent_tables", ByReason(report.absent_tables)},
      {"import", ImportView(report)},
      {"packed", MakeMarkup(std::move(packed))},
      {"remarks", std::move(remarks)},
      {"schema", report.schema},
      {"tool", report.tool}};
  for (const char* list : {"environment", "provenance", "absent_tables", "import", "remarks"}) {
    view[std::string("has_") + list] = !view[list].as_array().empty();
  }
  return view;
}

}  // namespace profgauge::render::html
