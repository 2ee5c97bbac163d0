// The first screen: verdict, measured data, first fixes, limits, findings.
#include "render/html/view_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <cmath>
#include <string>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "base/whole.h"
#include "render/html/view.h"
#include "render/html/view_dlprof.h"
#include "render/html/view_evidence.h"
#include "render/shared/change.h"
#include "render/shared/looks.h"
#include "render/shared/report_text.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "render/svg/svg.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

// Omits counts of 0, but not the errors of a judged run, because "0 errors" is a result.
json::array CountsView(const report::VerdictInfo& verdict) {
  const std::tuple<std::int64_t, std::string_view, std::string_view, State> counts[] = {
      {verdict.errors, "error", "errors", State::kError},
      {verdict.warnings, "warning", "warnings", State::kWarn},
      {verdict.cautions, "caution", "cautions", State::kCaution},
      {static_cast<std::int64_t>(verdict.accepted.size()), "accepted", "accepted",
       State::kAccepted},
      {verdict.waived, "waived", "waived", State::kWaived},
      {verdict.passed, "measured and good", "measured and good", State::kGood},
      {verdict.not_found, "not found", "not found", State::kNotFound},
      {verdict.open, "undecided", "undecided", State::kOpen},
      {verdict.missing, "missing", "missing", State::kMissing},
      {verdict.not_applicable, "not judged", "not judged", State::kNotApplicable}};
  json::array out;
  for (const auto& [count, one, many, status] : counts) {
    if (count == 0 && (status != State::kError || verdict.status == State::kNotJudged)) continue;
    out.push_back(json::object{{"count", FormatCount(count)},
                               {"label", count == 1 ? one : many},
                               {"name", LookOf(count == 0 ? State::kInfo : status).name()}});
  }
  return out;
}

void AddFact(json::array& facts, std::string_view label, std::string text) {
  if (!text.empty()) facts.push_back(json::object{{"label", label}, {"text", std::move(text)}});
}

// True if work ran on a device that the file does not name. DLProf's reports and sums over a
// cluster are such files.
bool HasDeviceTime(const Report& report) {
  if (FindMetric(report, metric::kGpuIdleMean) != nullptr) return true;
  for (const auto& [table, column] : std::initializer_list<std::pair<const char*, const char*>>{
           {"kernels", "time"}, {"ops", "device_self"}, {"ops", "device_total"}}) {
    const Table* found = FindTable(report, table);
    for (std::size_t row = 0; found != nullptr && row < found->rows(); ++row) {
      if (AsNumber(found->At(row, column), 0) > 0) return true;
    }
  }
  return false;
}

// "4 × NVIDIA A100, 4 × NVIDIA H100", in order of first appearance.
std::string DeviceText(const Report& report) {
  const report::ProfileInfo& profile = report.profile;
  const DeviceKinds kinds = KindsOfDevices(profile);
  std::string out;
  for (const auto& [name, count] : kinds.named) {
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ",
                       count > 1 ? fmt::format("{} × ", count) : "", name);
  }
  if (kinds.others > 0) out += fmt::format(" and {} more", FormatCount(kinds.others));
  if (!out.empty()) return out;
  return WordsOf(report, HasDeviceTime(report) ? "{{ device.device }} of unknown model"
                                               : "no {{ device.device }} recorded");
}

// The limit that is nearest to the measured value.
double LimitOf(const report::GateRow& row) {
  const double measured = AsNumber(row.measured.value, 0);
  if (IsAbsent(row.min)) return AsNumber(row.max, measured);
  const double least = AsNumber(row.min, measured), most = AsNumber(row.max, measured);
  return !IsAbsent(row.max) && most - measured < measured - least ? most : least;
}

// The limits of a metric in one row. `other`: the limit at the less severe level, or nullptr.
std::string LimitsText(const report::GateRow& row, const report::GateRow* other) {
  if (other == nullptr) return row.limit;
  const auto text = [](const report::GateRow& of) {
    return fmt::format("{} {}", LookOf(of.level).word, of.limit);
  };
  const bool row_first = row.level == State::kError;
  return fmt::format("{}, {}", text(row_first ? row : *other), text(row_first ? *other : row));
}

// True for limits on one metric at two levels, if nothing else differs.
bool AreOneRow(const report::GateRow& a, const report::GateRow& b) {
  return a.metric == b.metric && a.level != b.level && a.measured.text == b.measured.text &&
         a.reason.empty() && b.reason.empty() && a.baseline.text.empty() &&
         b.baseline.text.empty() && a.title == b.title;
}

// A meter. Its scale ends at 100 % for large shares, else a quarter above the largest of value and
// limits. Empty if there is no value or margin.
json::string MeterOf(const report::GateRow& row, const report::GateRow* other, Tone tone) {
  if (IsAbsent(row.measured.value) || IsAbsent(row.margin.value)) return "";
  const double measured = AsNumber(row.measured.value, 0);
  Meter meter;
  meter.value = measured;
  meter.limit = LimitOf(row);
  if (other != nullptr && !IsAbsent(other->margin.value)) meter.other_limit = LimitOf(*other);
  const double most = std::max({measured, meter.limit, meter.other_limit});
  meter.scale = row.measured.unit == Unit::kShare && most > 0.4 ? 1.0 : 1.25 * most;
  if (tone != Tone::kMute) meter.paint = PaintOf(tone);
  meter.description = fmt::format("{}, limit {}", row.measured.text, LimitsText(row, other));
  return json::string(SvgMeter(meter));
}

json::array AdviceView(const std::vector<RichText>& points) {
  json::array out;
  for (const RichText& point : points) out.push_back(json::object{{"pieces", PiecesOf(point)}});
  return out;
}

std::string_view ExplanationOf(const report::Finding& finding) {
  return finding.docs.starts_with("https://") ? std::string_view() : finding.docs;
}

// True if `docs` is only the command that explains the rule, which the page shows once for all.
bool IsOwnExplanation(const report::Finding& finding) {
  return finding.docs == "profgauge rules explain " + finding.rule;
}

json::object FindingView(const Report& report, const report::Finding& finding, SeenNames& seen) {
  constexpr std::size_t kEvidenceRows = 50;
  json::array heads, explains;
  int names = 0;
  const std::vector<std::size_t> columns = EvidenceColumns(finding);
  for (const std::size_t k : columns) {
    const bool text =
        k >= finding.evidence_units.size() || finding.evidence_units[k] == Unit::kText;
    heads.push_back(
        json::object{{"title", finding.evidence_heads[k]}, {"align", text ? "left" : "right"}});
    names += text ? 1 : 0;
  }
  for (const std::string& metric : finding.explains) {
    explains.push_back(json::object{{"metric", metric}});
  }
  std::string unused;
  for (std::size_t k = 0, shown = 0; k < finding.evidence_heads.size(); ++k) {
    if (shown < columns.size() && columns[shown] == k) {
      ++shown;
      continue;
    }
    unused += (unused.empty() ? "" : ", ") + finding.evidence_heads[k];
  }
  const report::Finding* cause = report::CauseOf(report, finding);
  json::array rows = EvidenceRows(report, finding, kEvidenceRows, seen);
  std::string shown = RowsShown(finding, rows.size());
  return {{"id", AnchorOf(finding.rule)},
          {"rule", finding.rule},
          {"level", StatusView(finding.status == State::kWaived || finding.status == State::kBroken
                                   ? finding.status
                                   : finding.level)},
          {"open", finding.level == State::kError && finding.status != State::kWaived},
          {"title", finding.title},
          {"message", PiecesOf(finding.message_parts)},
          {"reason", PiecesOf(finding.reason)},
          {"has_reason", !finding.reason.empty()},
          {"metric", NumberView(finding.metric)},
          {"gain", finding.saves.text},
          {"gain_exact", finding.saves.why.empty() ? NumberView(finding.saves.value)["exact"]
                                                   : json::value(finding.saves.why)},
          {"advice", AdviceView(finding.advice_parts)},
          {"has_advice", !finding.advice_parts.empty()},
          {"docs", finding.docs.starts_with("https://") ? finding.docs : ""},
          {"explain", IsOwnExplanation(finding) ? "" : ExplanationOf(finding)},
          {"has_explains", !explains.empty()},
          {"explains", std::move(explains)},
          {"cause", cause == nullptr ? "" : cause->title},
          {"cause_href", cause == nullptr ? "" : "#" + AnchorOf(cause->rule)},
          {"heads", std::move(heads)},
          {"names", names},
          {"rows", std::move(rows)},
          {"has_rows", !finding.evidence.empty()},
          {"unused", unused},
          {"shown", std::move(shown)}};
}

}  // namespace

std::string AnchorOf(std::string_view rule) {
  std::string out = "f-";
  for (const char c : rule) {
    out += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  }
  return out;
}

boost::json::object StatusView(State state) {
  const StatusLook& look = LookOf(state);
  return {{"sign", look.sign}, {"word", look.word}, {"name", look.name()}};
}

namespace {

// The head of the list of reasons.
std::string HeadOfReasons(std::string_view label) {
  return label == "fails" ? "Fails for" : label == "warns" ? "Warns about" : "Undecided";
}

// The first kMostReasonsOfPage reasons, then the number of others.
json::array ReasonsView(const Report& report, const report::Diagnosis& diagnosis) {
  const bool has_plan = report.plan && !report.plan->steps.empty();
  const std::vector<std::string> texts = ReasonTexts(diagnosis, kMostReasonsOfPage);
  json::array reasons;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool is_more = i + 1 == texts.size() && texts.size() < diagnosis.reasons.size();
    const bool is_left = has_plan && !is_more && !diagnosis.reasons[i].in_plan;
    reasons.push_back(json::object{{"pieces", PiecesOf(texts[i])},
                                   {"more", is_more},
                                   {"left", is_left ? "not in the plan" : ""}});
  }
  return reasons;
}

}  // namespace

boost::json::object VerdictView(const Report& report) {
  const report::VerdictInfo& verdict = report.verdict;
  const StatusLook& look = LookOf(verdict.status);
  const report::Diagnosis diagnosis = report::Diagnose(report);
  json::array reasons = ReasonsView(report, diagnosis);
  const bool has_reasons = !reasons.empty();
  json::array accepted;
  for (std::string& text : AcceptedTexts(report)) {
    accepted.push_back(json::object{{"text", std::move(text)}});
  }
  const bool has_accepted = !accepted.empty();
  return {{"status", report::NameOf(verdict.status)},
          {"word", VerdictWord(verdict.status)},
          {"sign", look.sign},
          {"name", look.name()},
          {"counts", CountsView(verdict)},
          {"reasons", std::move(reasons)},
          {"has_reasons", has_reasons},
          {"accepted", std::move(accepted)},
          {"has_accepted", has_accepted},
          {"movement", PiecesOf(MovementText(report))},
          {"has_movement", !MovementText(report).empty()},
          {"loosened", LoosenedText(report)},
          {"reasons_label", HeadOfReasons(ReasonsLabel(report, diagnosis))},
          {"reasons_look", verdict.status == State::kNoVerdict ? "mute"
                           : verdict.errors > 0                ? "bad"
                                                               : "warn"},
          {"policy", SourcesText(report, true)},
          {"baseline", BaselineWarning(report)}};
}

namespace {

// The files of the run as arguments of a command. Several files in one folder become the folder.
std::string InputsOf(const report::ProfileInfo& profile) {
  const auto folder = [](std::string_view path) {
    return path.substr(0, path.find_last_of('/') + 1);
  };
  const std::vector<std::string>& files = profile.sources;
  if (files.size() > 1 && !folder(files.front()).empty() &&
      std::all_of(files.begin(), files.end(),
                  [&](const std::string& file) { return folder(file) == folder(files.front()); })) {
    return report::ShellWord(folder(files.front()));
  }
  std::string inputs;
  for (const std::string& file : files)
    inputs += (inputs.empty() ? "" : " ") + report::ShellWord(file);
  return inputs;
}

// The options that decide what is judged, a line each, as arguments of the same command.
std::string OptionsOf(const Report& report) {
  constexpr std::string_view kOption = "option ",
                             kOptions[] = {"key-op",     "iteration-marker", "rank",
                                           "iter-start", "iter-stop",        "range"};
  std::string lines;
  if (report.verdict.policy_from == "command line") {
    lines = "--policy " + report::ShellWord(report.verdict.policy);
  }
  for (const auto& [name, value] : report.provenance) {
    const std::string option = name.substr(std::min(name.size(), kOption.size()));
    if (!name.starts_with(kOption) || std::ranges::find(kOptions, option) == std::end(kOptions)) {
      continue;
    }
    const std::size_t colon = option == "range" ? value.find(':') : std::string::npos;
    const std::string given = colon == std::string::npos
                                  ? value
                                  : value.substr(0, colon) + "ns" + value.substr(colon) + "ns";
    lines += fmt::format("{}--{} {}", lines.empty() ? "" : "\n", option, report::ShellWord(given));
  }
  return lines;
}

}  // namespace

boost::json::object RunView(const Report& report) {
  const report::ProfileInfo& profile = report.profile;
  json::array facts, sources;
  AddFact(facts, "Runs", RunsText(profile));
  AddFact(facts, "Ranks", RanksText(report));
  const bool is_of_times = profile.format == "times";
  if (!is_of_times) AddFact(facts, WordsOf(report, "{{ device.device }}s"), DeviceText(report));
  if (const auto* steps = is_of_times ? FindMetric(report, metric::kStepCount) : nullptr) {
    AddFact(facts, "Iterations",
            Counted(AsWhole(steps->quantity.value, 0), "iteration", "iterations"));
  }
  if (!is_of_times) {
    AddFact(facts, "Iterations",
            profile.iterations_total == 0 ? "iterations unknown"
            : profile.iterations_selected == profile.iterations_total
                ? Counted(profile.iterations_total, "iteration", "iterations")
                : fmt::format("{} of {}", FormatCount(profile.iterations_selected),
                              Counted(profile.iterations_total, "iteration", "iterations")));
  }
  if (const auto* wall = FindMetric(report, metric::kProfileWallTime)) {
    AddFact(facts, "Wall time", wall->quantity.text + " judged");
  }
  AddFact(facts, "Framework", profile.framework);
  AddFact(facts, "Format",
          is_of_times && !profile.dialect.empty() ? profile.dialect : profile.format);
  AddFact(facts, "Recorded", DateText(profile.captured));
  for (const std::string& source : profile.sources) {
    if (sources.size() < kListed) sources.push_back(json::object{{"path", source}});
  }
  if (profile.sources.size() > kListed) {
    sources.push_back(
        json::object{{"path", fmt::format("… and {} more", profile.sources.size() - kListed)}});
  }
  json::array losses;
  for (const report::ImportCounter& counter : report.import) {
    if (counter.severity != Severity::kDataLoss) continue;
    losses.push_back(json::object{
        {"text", counter.text}, {"count", FormatCount(static_cast<std::int64_t>(counter.count))}});
  }
  const bool has_losses = !losses.empty();
  return {{"name", profile.name},          {"inputs", InputsOf(profile)},
          {"options", OptionsOf(report)},  {"facts", std::move(facts)},
          {"sources", std::move(sources)}, {"losses", std::move(losses)},
          {"has_losses", has_losses}};
}

boost::json::object GateView(const Report& report) {
  json::array rows, folded;
  std::int64_t unjudged = 0;
  const report::GateRow* last = nullptr;  // Of the folded ones.
  bool has_baseline = false, has_notes = false;
  for (const report::GateRow& row : report.gate) has_baseline |= !row.baseline.text.empty();
  std::vector<const report::GateRow*> order = GateByWeight(report);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const report::GateRow& row = *order[i];
    const auto judged = [](const report::GateRow& of) {
      return of.status != State::kNotApplicable && of.status != State::kSkipped;
    };
    const auto found =
        std::find_if(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, order.end(),
                     [&](const report::GateRow* later) {
                       return judged(row) && judged(*later) && AreOneRow(row, *later);
                     });
    const report::GateRow* other = found == order.end() ? nullptr : *found;
    if (other != nullptr) order.erase(found);
    const std::string title = row.title.empty() ? row.metric : row.title;
    if (row.status == State::kNotApplicable || row.status == State::kSkipped) {
      ++unjudged;
      const report::GateRow* above = std::exchange(last, &row);
      if (above != nullptr && above->metric == row.metric && above->status == row.status &&
          above->reason == row.reason) {  // Two levels of one metric.
        json::string& limits = folded.back().as_object()["limit"].as_string();
        limits.append(", ");
        limits.append(row.limit);
        continue;
      }
      folded.push_back(json::object{{"status", StatusView(row.status)},
                                    {"title", title},
                                    {"metric", row.metric},
                                    {"limit", row.limit},
                                    {"reason", PiecesOf(row.reason)}});
      continue;
    }
    has_notes |= !row.reason.empty();
    rows.push_back(json::object{
        {"status", StatusView(row.status)},
        {"title", title},
        {"metric", row.metric},
        {"measured", NumberView(row.measured)},
        {"limit", LimitsText(row, other)},
        {"margin", NumberView(row.margin)},
        {"baseline", NumberView(row.baseline)},
        {"change", NumberView(row.change)},
        {"level", LookOf(row.level).word},
        {"reason", PiecesOf(row.reason)},
        {"meter", MakeMarkup(std::string(MeterOf(row, other, LookOf(row.status).tone)))}});
  }
  const bool has_rows = !rows.empty();
  std::string folded_count;
  if (unjudged > 0) folded_count = Counted(unjudged, "limit", "limits");
  return {{"rows", std::move(rows)},          {"has_rows", has_rows},
          {"has_baseline", has_baseline},     {"has_notes", has_notes},
          {"folded", std::move(folded)},      {"folded_count", std::move(folded_count)},
          {"none_asked", report.gate.empty()}};
}

namespace {

bool IsNotJudged(const report::Finding& finding) {
  return finding.status == State::kNotApplicable || finding.status == State::kCovered;
}

}  // namespace

boost::json::object SilentRulesView(const Report& report) {
  json::array not_found, not_judged;
  for (const report::Finding* of_order : FindingsInOrder(report)) {
    const report::Finding& finding = *of_order;
    if (finding.status != State::kNotFound && !IsNotJudged(finding)) continue;
    json::array& list = IsNotJudged(finding) ? not_judged : not_found;
    list.push_back(json::object{{"title", finding.title},
                                {"rule", finding.rule},
                                {"reason", PiecesOf(finding.reason)},
                                {"has_reason", !finding.reason.empty()}});
  }
  return {{"not_found", std::move(not_found)}, {"not_judged", std::move(not_judged)}};
}

boost::json::object FindingsView(const Report& report) {
  json::array fired, waived, good;
  std::size_t not_found = 0, not_judged = 0;
  SeenNames seen = NamesOfKernels(report);
  for (const report::Finding* of_order : FindingsInOrder(report)) {
    const report::Finding& finding = *of_order;
    not_found += finding.status == State::kNotFound ? 1 : 0;
    not_judged += IsNotJudged(finding) ? 1 : 0;
    if (finding.status == State::kNotFound || IsNotJudged(finding)) continue;
    json::array& list = finding.status == State::kWaived ? waived
                        : finding.status == State::kGood ? good
                                                         : fired;
    list.push_back(FindingView(report, finding, seen));
  }
  const auto count = [](std::size_t rules) {
    return rules == 0 ? std::string() : Counted(static_cast<std::int64_t>(rules), "rule", "rules");
  };
  json::object view{{"good_count", count(good.size())},
                    {"not_found_count", count(not_found)},
                    {"not_judged_count", count(not_judged)}};
  json::array dlprof = DlprofAdviceView(report);
  view["has_dlprof"] = !dlprof.empty();
  view["dlprof"] = std::move(dlprof);
  view["explained"] = std::any_of(report.findings.begin(), report.findings.end(),
                                  [](const report::Finding& finding) {
                                    return report::HasFired(finding) && IsOwnExplanation(finding);
                                  });
  view["fired"] = std::move(fired);
  view["waived"] = std::move(waived);
  view["good"] = std::move(good);
  return view;
}

}  // namespace profgauge::render::html
