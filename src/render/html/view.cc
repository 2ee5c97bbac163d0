#include "render/html/view.h"
#include "render/html/view_breakdown.h"
#include "render/html/view_comparison.h"
#include "render/html/view_first.h"
#include "render/html/view_memory.h"
#include "render/html/view_notes.h"
#include "render/html/view_overview.h"
#include "render/html/view_path.h"
#include "render/html/view_ranks.h"
#include "render/html/view_strip.h"
#include "render/html/view_tables.h"
#include "render/html/view_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>

#include "base/format.h"
#include "render/shared/template.h"
#include "report/labels.h"

namespace profgauge::render::html {

namespace json = boost::json;

namespace {

// The leading digits of `text`, without grouping spaces. By Significant(), they show if an exact
// value has more digits than the text: "23.0 ms" and "23000000 ns" have equal ones.
std::string DigitsOf(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kNumberSpace)) {
      i += kNumberSpace.size() - 1;
    } else if (text[i] == ' ' || text[i] == '%' || (text[i] & 0x80) != 0 ||  // "µs"
               std::isalpha(static_cast<unsigned char>(text[i]))) {
      break;
    } else {
      digits += text[i];
    }
  }
  return digits;
}

// The digits without the point and trailing zeros: equal for "23.0" and "23000".
std::string Significant(std::string digits) {
  std::erase(digits, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

// The reason why the page has no timeline; empty if it has one.
std::string TimelineNote(const report::Report& report) {
  if (!report.timeline.empty()) return {};
  if (!report.timeline.left_out.empty()) return "Not shown: " + report.timeline.left_out + ".";
  return "No events: the profile has none, or the report is of summaries of ranks (over 64 "
         "profiles) "
         "or of a report.json, which keep none.";
}

}  // namespace

std::string ExactTitle(const Value& value, Unit unit, std::string_view text) {
  if (IsAbsent(value)) return {};
  std::string exact = FormatExact(value, unit);
  // Nine digits are enough for readers. Later digits of a real come from binary fractions.
  if (const auto* real = std::get_if<double>(&value)) {
    const std::size_t number = std::min(exact.find(' '), exact.size());
    std::string shorter = fmt::format("{:.9g}", *real);
    if (shorter.size() < number) exact.replace(0, number, shorter);
  }
  const bool says_it = Significant(DigitsOf(exact)) == Significant(DigitsOf(text));
  return says_it ? std::string() : exact;
}

boost::json::object NumberView(const Value& value, Unit unit) {
  std::string text = FormatValue(value, unit);
  std::string exact = ExactTitle(value, unit, text);
  return {{"text", std::move(text)}, {"exact", std::move(exact)}, {"absent", ""}};
}

boost::json::object NumberView(const report::Quantity& quantity) {
  json::object view = NumberView(quantity.value, quantity.unit);
  // The text is the report's, because all renderers must round equally.
  view["exact"] = ExactTitle(quantity.value, quantity.unit, quantity.text);
  view["text"] = quantity.text;
  view["absent"] = IsAbsent(quantity.value) ? quantity.absent_because : std::string();
  return view;
}

const report::Metric* FindMetric(const report::Report& report, std::string_view id) {
  for (const report::Metric& metric : report.metrics) {
    if (metric.id == id) return IsAbsent(metric.quantity.value) ? nullptr : &metric;
  }
  return nullptr;
}

double MetricOr(const report::Report& report, std::string_view id, double otherwise) {
  const report::Metric* metric = FindMetric(report, id);
  return metric == nullptr ? otherwise : AsNumber(metric->quantity.value, otherwise);
}

std::string WordsOf(const report::Report& report, std::string_view text) {
  return report::TextFor(report.profile, text);
}

boost::json::array PiecesOf(const RichText& parts) {
  RichText drawn;  // Shows numbers as text.
  for (const TextPart& part : parts) {
    const bool is_code = part.kind == TextPart::Kind::kCode;
    AddPart(drawn, is_code ? part.kind : TextPart::Kind::kText, part.text);
  }
  json::array pieces;
  for (const TextPart& part : drawn) {
    const bool is_code = part.kind == TextPart::Kind::kCode;
    pieces.push_back(
        json::object{{"text", is_code ? "" : part.text}, {"code", is_code ? part.text : ""}});
  }
  return pieces;
}

boost::json::array PiecesOf(std::string_view text) { return PiecesOf(PartsOf(text)); }

boost::json::array AbsentView(const std::vector<std::pair<std::string, std::string>>& absent) {
  std::vector<std::pair<std::string, std::string>> by_reason;  // A reason and its titles.
  for (const auto& [title, reason] : absent) {
    const auto known =
        std::find_if(by_reason.begin(), by_reason.end(),
                     [&why = reason](const auto& entry) { return entry.first == why; });
    if (known == by_reason.end()) {
      by_reason.emplace_back(reason, title);
    } else {
      known->second += ", " + title;
    }
  }
  json::array out;
  for (const auto& [reason, titles] : by_reason) {
    out.push_back(json::object{
        {"titles", titles}, {"reason", PiecesOf(reason)}, {"sep", out.empty() ? "" : "; "}});
  }
  return out;
}

std::string DateText(std::string_view iso) {
  if (iso.size() != 20 || iso[10] != 'T' || iso.back() != 'Z') return std::string(iso);
  return std::string(iso.substr(0, 10)) + " " + std::string(iso.substr(11, 8)) + " UTC";
}

Folded Fold(std::string_view text, std::size_t most) {
  if (text.size() <= most) return {text, "", ""};
  // If little fits, the end of a name helps as much as its start.
  const bool is_narrow = most < kFold;
  const std::size_t first = is_narrow ? most / 2 : 60, last = is_narrow ? most / 2 - 1 : 20;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  std::size_t head = first, tail = text.size() - last;
  while (head > 0 && continues(head)) --head;
  while (tail + 1 < text.size() && continues(tail)) ++tail;
  return {text.substr(0, head), text.substr(head), text.substr(tail)};
}

namespace {

// Removes namespaces that most kernels share.
std::string WithoutCommon(std::string_view text) {
  std::string name(text);
  for (const std::string_view common : {"void ", "at::native::", "(anonymous namespace)::"}) {
    for (std::size_t at = name.find(common); at != name.npos; at = name.find(common, at)) {
      // "avoid " is another word than "void ".
      const bool is_part = at > 0 && (std::isalnum(static_cast<unsigned char>(name[at - 1])) != 0 ||
                                      name[at - 1] == '_');
      if (is_part) {
        at += common.size();
      } else {
        name.erase(at, common.size());
      }
    }
  }
  return name;
}

// Up to `count` bytes from `from` on, cut between characters.
std::string CharactersOf(std::string_view text, std::size_t from, std::size_t count) {
  const auto continues = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  std::size_t end = std::min(from + count, text.size());
  while (continues(from)) ++from;
  while (end > from && continues(end)) --end;
  return std::string(text.substr(from, end - from));
}

// Makes equal short forms differ: each shows where its name differs from its neighbors.
void ShowDifference(std::vector<std::pair<std::string, std::string>> names, std::size_t most,
                    std::map<std::string, std::string>& out) {
  constexpr std::size_t kHead = 8, kBefore = 6;
  std::sort(names.begin(), names.end());
  const auto common = [&](std::size_t a, std::size_t b) {
    const std::string &one = names[a].first, &other = names[b].first;
    return static_cast<std::size_t>(
        std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin());
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& plain = names[i].first;
    std::size_t same = i > 0 ? common(i, i - 1) : 0;
    if (i + 1 < names.size()) same = std::max(same, common(i, i + 1));
    const std::size_t from = std::max(kHead, same > kBefore ? same - kBefore : 0);
    const std::string part = CharactersOf(plain, std::min(from, plain.size()), most - kHead - 6);
    out[names[i].second] =
        CharactersOf(plain, 0, kHead) + "…" + part + (from + part.size() < plain.size() ? "…" : "");
  }
}

}  // namespace

std::string CutName(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::string name = WithoutCommon(text);
  const Folded folded = Fold(name, most);
  if (folded.rest.empty()) return name;
  return std::string(folded.head) + "…" + std::string(folded.tail);
}

// Short forms that are still equal get a number.
std::map<std::string, std::string> CutNames(const std::set<std::string>& names, std::size_t most) {
  std::map<std::string, std::string> out;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> groups;
  for (const std::string& name : names) {
    out[name] = CutName(name, most);
    groups[out[name]].emplace_back(WithoutCommon(name), name);
  }
  for (auto& [text, group] : groups) {
    if (group.size() > 1) ShowDifference(std::move(group), most, out);
  }
  std::map<std::string, int> seen;
  for (auto& [name, text] : out) {
    const int count = ++seen[text];
    if (count > 1) {
      const std::string number = fmt::format(" #{}", count);
      text = CharactersOf(text, 0, most - number.size()) + number;
    }
  }
  return out;
}

const Table* FindTable(const report::Report& report, std::string_view id) {
  for (const Table& table : report.tables) {
    if (table.id() == id && !table.columns().empty()) return &table;
  }
  return nullptr;
}

// Makes all parts of the page, also empty ones. IterationsView() must precede TablesView(), because
// both add to the payload in the order of the calls.
boost::json::object PageView(const report::Report& report, const ComparisonLimits& limits) {
  TablePacker payload(report.profile.accelerator);
  payload.NameIterations(report::IterationLabels(report));
  json::object view{{"verdict", VerdictView(report)},
                    {"first", FirstView(report)},
                    {"run", RunView(report)},
                    {"gate", GateView(report)},
                    {"findings", FindingsView(report)},
                    {"comparison", ComparisonView(report, limits)},
                    {"breakdown", BreakdownView(report)},
                    {"ranks", RanksView(report)},
                    {"iterations", IterationsView(report, payload)},
                    {"overview", OverviewView(report)},
                    {"strip", StripView(report)},
                    {"memory", MemoryView(report)},
                    {"path", PathView(report)},
                    {"tables", TablesView(report, payload)},
                    {"notes", NotesView(report)}};
  for (const report::Finding& finding : report.findings) {
    if (finding.evidence_rows.empty()) continue;
    payload.AddRowsOf(finding.rule, finding.evidence_table, finding.evidence_rows,
                      finding.evidence_of);
  }
  Panels panels = PanelsView(report);
  view["has_absent_panels"] = !panels.absent.empty();
  view["panels"] = std::move(panels.shown);
  view["absent_panels"] = AbsentView(panels.absent);
  view["payload"] = MakeMarkup(payload.Finish());
  view["timeline"] = MakeMarkup(
      report.timeline.empty() ? "" : PackTimeline(report.timeline, report.profile.accelerator));
  view["timeline_note"] = TimelineNote(report);
  view["has_ops"] = FindTable(report, "ops") != nullptr;
  view["has_kernels"] = FindTable(report, "kernels") != nullptr;
  view["recorded"] = report.profile.format != "times";  // Else the report has no device.
  return view;
}

}  // namespace profgauge::render::html
