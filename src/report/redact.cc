#include "report/redact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "analysis/catalog/rank_columns.h"
#include "analysis/catalog/row_writer.h"
#include "base/hashes.h"
#include "report/code_names.h"
#include "report/labels.h"

namespace profgauge::report {
namespace {

// True for characters that end a path within a text.
bool EndsWord(char c) {
  return c == ' ' || c == ';' || c == ',' || c == '"' || c == '\'' || c == '`' || c == '\n' ||
         c == '\t' || c == '=' || c == '(' || c == ')' || c == '[' || c == ']';
}

bool IsSeparator(char c) { return c == '/' || c == '\\'; }

// True for "train.py", "libfoo.so.1", "train.py:12": a name, a dot, a suffix of letters and digits.
bool IsFileName(std::string_view name) {
  const auto colon = name.find(':');
  if (colon != name.npos && name.find("::") == name.npos) name = name.substr(0, colon);
  const auto dot = name.rfind('.');
  if (dot == name.npos || dot == 0 || dot + 1 == name.size() || name.size() - dot > 9) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

/// The passes: all public names are learned, then names are hidden, then sentences.
enum class Pass : std::uint8_t { kLearn, kNames, kProse };

bool HasWord(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

/// The kind of the names in a column.
NameKind RoleOf(std::string_view table, std::string_view column) {
  if (HasWord(column, "module") || (table == "modules" && column == "name")) {
    return NameKind::kModule;
  }
  const bool is_of_kernels = HasWord(table, "kernel") || table == "slack" || table == "launches";
  if (HasWord(column, "kernel") || (is_of_kernels && column == "name")) return NameKind::kKernel;
  return NameKind::kName;
}

class Redactor {
 public:
  Redactor(const Report& report, const Redaction& redaction)
      : level_(redaction.level), code_(redaction.key) {
    for (const auto& [name, text] : report.environment) {
      if (name.find("host") != name.npos) AddHost(text);
    }
    for (const Table& table : report.tables) {
      const Column* hosts =
          analysis::catalog::ColumnOf<analysis::catalog::columns::kRanks>(table, "host"_col);
      if (hosts == nullptr || hosts->type() != CellType::kText) continue;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if (!hosts->IsAbsentAt(row)) AddHost(table.strings()[hosts->TextAt(row)]);
      }
    }
    // Longest first, because one host's name may start another's.
    std::stable_sort(hosts_.begin(), hosts_.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    for (const Device& device : report.profile.devices) code_.LearnWhole(device.name);
    code_.LearnWhole(report.profile.framework);
  }

  void Begin(Pass pass) { pass_ = pass; }

  /// Redacts a text that consists of names.
  void Name(std::string& text, NameKind of = NameKind::kName) {
    if (level_ >= RedactLevel::kCode) {
      if (pass_ == Pass::kLearn) code_.Learn(text, of);
      if (pass_ != Pass::kNames) return;
      HideHosts(text);
      text = code_.Hide(text, of);
    }
    HidePlaces(text);
  }

  /// Redacts a sentence with names in backticks.
  void operator()(std::string& text) {
    if (level_ < RedactLevel::kCode) return HidePlaces(text);
    if (text.find('`') == text.npos) {
      if (pass_ == Pass::kProse) Prose(text);
      return;
    }
    RichText parts = PartsOf(text);
    (*this)(parts);
    text = TextOf(parts);
  }
  void operator()(Quantity& quantity) { (*this)(quantity.absent_because); }
  void operator()(std::vector<std::string>& texts) {
    for (std::string& text : texts) (*this)(text);
  }
  void operator()(std::vector<std::pair<std::string, std::string>>& pairs) {
    for (auto& [name, text] : pairs) (*this)(text);
  }
  void Names(std::vector<std::pair<std::string, std::string>>& pairs) {
    for (auto& [name, text] : pairs) Name(text);
  }

  void operator()(RichText& parts) {
    for (TextPart& part : parts) {
      if (level_ < RedactLevel::kCode) {
        HidePlaces(part.text);
      } else if (part.kind == TextPart::Kind::kCode) {
        Name(part.text);
      } else if (pass_ == Pass::kProse && part.kind != TextPart::Kind::kNumber) {
        Prose(part.text);
      }
    }
  }

  void operator()(Finding& finding) {
    for (std::string* text : {&finding.message, &finding.advice, &finding.reason,
                              &finding.saves.why, &finding.metric_of}) {
      (*this)(*text);
    }
    Name(finding.key);
    if (level_ != RedactLevel::kNone) finding.next.clear();  // It has names of files.
    (*this)(finding.message_parts);
    for (RichText& point : finding.advice_parts) (*this)(point);
    for (std::vector<Value>& row : finding.evidence) {
      for (Value& cell : row) {
        if (auto* text = std::get_if<std::string>(&cell)) Name(*text);
      }
    }
  }

  void operator()(Plan& plan) {
    for (PlanStep& step : plan.steps) {
      (*this)(step.title), (*this)(step.change), (*this)(step.action), (*this)(step.saves.why);
      for (std::string& key : step.findings) Name(key);
    }
    for (std::string& key : plan.no_effect) Name(key);
    (*this)(plan.not_simulated), (*this)(plan.absent_because), (*this)(plan.limits),
        (*this)(plan.floor.absent_because);
  }

  void operator()(Table& table) {
    std::unordered_map<std::uint32_t, StringId> known;
    for (Column& column : table.columns()) {
      std::string why = column.absent_because();
      (*this)(why);
      column.MarkAbsent(std::move(why));
      if (column.type() != CellType::kText) continue;
      const NameKind of = RoleOf(table.id(), column.id());
      known.clear();
      for (std::size_t row = 0; row < column.size(); ++row) {
        const StringId id = column.TextAt(row);
        if (!id.valid()) continue;
        const auto [place, is_new] = known.try_emplace(id.value);
        if (is_new) {
          std::string text(table.strings()[id]);
          Name(text, of);
          place->second = table.strings().Intern(text);
        }
        column.SetText(row, place->second);
      }
    }
    if (level_ == RedactLevel::kAll && pass_ == Pass::kNames) HideMessageSizes(table);
  }

  // Names both runs like the report's own run.
  void operator()(Comparison& comparison) {
    comparison.baseline = "baseline";
    comparison.candidate = "run";
    for (Difference& difference : comparison.differences) {
      Name(difference.base), Name(difference.current);
    }
    Names(comparison.alike);
    for (std::string* text :
         {&comparison.slow_rank, &comparison.work_gone, &comparison.work_come}) {
      (*this)(*text);
    }
    for (ComparedMetric& metric : comparison.metrics) (*this)(metric.note);
    for (PairedValue& value : comparison.values) {
      if (!value.metric.starts_with(kBenchmarkSeries)) continue;
      std::string name = value.metric.substr(kBenchmarkSeries.size());
      Name(name);
      value.metric = std::string(kBenchmarkSeries) + name;
      value.title = "Benchmark " + name;
    }
    if (comparison.movement) {
      (*this)(comparison.movement->text), (*this)(comparison.movement->evidence);
    }
    for (ComparisonStep& step : comparison.waterfall) {
      if (step.level == gate::PartLevel::kCategory) {
        (*this)(step.name);
      } else {
        Name(step.name);
      }
    }
    for (PairedTable* table : {&comparison.kernels, &comparison.ops}) {
      for (PairedWork& work : table->rows) {
        Name(work.name, table == &comparison.kernels ? NameKind::kKernel : NameKind::kName);
      }
    }
  }

  void operator()(Timeline& timeline) {
    for (Timeline::Kind& kind : timeline.kinds) {
      Name(kind.name, kind.category == Category::kPython ? NameKind::kFunction : NameKind::kName);
      Name(kind.detail);
      for (std::string& text : kind.facets) Name(text);
    }
    for (Timeline::Track& track : timeline.tracks) Name(track.name), Name(track.group);
    for (Timeline::Counter& counter : timeline.counters) Name(counter.name), Name(counter.group);
    if (level_ != RedactLevel::kAll) return;
    std::erase_if(timeline.amounts,
                  [](const Timeline::Amount& amount) { return amount.unit == Unit::kBytes; });
  }

 private:
  void AddHost(std::string_view name) {
    constexpr std::size_t kShortest = 3;  // "a" would be found everywhere
    const bool known = std::any_of(hosts_.begin(), hosts_.end(),
                                   [&](const auto& host) { return host.first == name; });
    if (known || name.size() < kShortest) return;
    hosts_.emplace_back(name, fmt::format("host-{}", hosts_.size() + 1));
  }

  void HideHosts(std::string& text) const {
    for (const auto& [host, other] : hosts_) {
      for (auto at = text.find(host); at != text.npos; at = text.find(host, at + other.size())) {
        text.replace(at, host.size(), other);
      }
    }
  }

  void HidePlaces(std::string& text) const {
    text = WithoutFolders(text);
    HideHosts(text);
    if (level_ == RedactLevel::kAll) text = WithoutShapes(text);
  }

  void Prose(std::string& text) const {
    HideHosts(text);
    text = code_.InProse(text);
    HidePlaces(text);
  }

  static void HideMessageSizes(Table& table) {
    if (table.id() != "message_sizes" && table.id() != "collectives") return;
    for (Column& column : table.columns()) {
      if (column.unit() != Unit::kBytes) continue;
      for (std::size_t row = 0; row < column.size(); ++row) {
        column.SetInteger(row, Column::kAbsentInteger);
      }
      column.MarkAbsent("hidden by --redact=all");
    }
  }

  RedactLevel level_;
  CodeNames code_;
  Pass pass_ = Pass::kNames;
  std::vector<std::pair<std::string, std::string>> hosts_;
};

bool IsInput(std::string_view key) { return key == "input" || key.starts_with("input "); }

std::string KeyOfReport(const Report& report, const Redaction& redaction) {
  std::vector<std::string> hashes;
  for (const auto& [key, text] : report.provenance) {
    if (IsInput(key)) hashes.push_back(text);
  }
  return KeyOf(redaction, hashes);
}

void VisitTexts(Report& report, const std::string& name, Redactor& redact) {
  redact(report.profile.versions);
  redact.Name(report.profile.iteration_source.detail);
  redact(report.profile.selection);
  redact(report.verdict.policy);
  redact(report.verdict.policy_from);
  redact(report.verdict.config);
  redact(report.verdict.reasons);
  for (NoVerdict& reason : report.verdict.no_verdict) redact(reason.text);
  for (Loosened& one : report.verdict.loosened) {
    redact(one.what), redact(one.before), redact(one.now), redact(one.text);
  }
  if (report.baseline) {
    for (auto& [run, why] : report.baseline->skipped) redact(why);
  }
  for (GateRow& row : report.gate) redact(row.reason), redact(row.measured);
  for (Metric& metric : report.metrics) redact(metric.quantity), redact(metric.note);
  for (Table& table : report.tables) redact(table);
  for (Finding& finding : report.findings) redact(finding);
  if (report.plan) redact(*report.plan);
  redact(report.absent_tables);
  for (Remark& remark : report.remarks) {
    const auto at = remark.id == "several-runs" ? remark.text.find(name) : remark.text.npos;
    if (at != remark.text.npos) remark.text.replace(at, name.size(), "run");
    redact(remark.text);
  }
  for (CertificateCheck& check : report.recording.checks) redact(check.text);
  for (ImportCounter& counter : report.import) {
    for (std::string& example : counter.examples) redact.Name(example);
  }
  redact.Names(report.environment);
  redact(report.provenance);
  if (report.comparison) redact(*report.comparison);
  redact(report.timeline);
}

// "until 2026-12-31" from a sentence about a waiver; empty if it has none.
std::string UntilOf(std::string_view text) {
  constexpr std::string_view kUntil = ", until ";
  constexpr std::size_t kDay = 10;
  const auto at = text.rfind(kUntil);
  return at == text.npos ? "" : fmt::format("until {}", text.substr(at + kUntil.size(), kDay));
}

// Hides who waived findings, and why.
void HideWaivers(Report& report) {
  for (Finding& finding : report.findings) {
    if (finding.status == State::kWaived) finding.reason = UntilOf(finding.reason);
  }
  for (Remark& remark : report.remarks) {
    const auto begin = remark.id == "waiver" ? remark.text.find(" (") : remark.text.npos;
    const auto end = remark.text.rfind(')');
    if (begin == remark.text.npos || end == remark.text.npos || end < begin) continue;
    const std::string until = UntilOf(remark.text);
    remark.text.replace(begin, end + 1 - begin, until.empty() ? "" : fmt::format(" ({})", until));
  }
}

// Hides the runs of a history, and who accepted something and why.
void HideBaseline(Report& report) {
  constexpr std::string_view kHidden = "hidden by --redact";
  for (Accepted& one : report.verdict.accepted) {
    one.reason = one.owner = kHidden;
    one.text = "accepted";
  }
  if (!report.baseline) return;
  BaselineUse& baseline = *report.baseline;
  for (BaselineUse::Run& run : baseline.runs) {
    run.commit.clear();
    run.name = "baseline";
  }
  for (auto& [run, why] : baseline.skipped) {
    if (why.starts_with("model ")) why = "model";
  }
  baseline.level.clear();
  const bool is_hidden = baseline.source.empty();  // Already hidden; files are not named.
  if (is_hidden || baseline.line.empty()) return;
  baseline.source.clear();
  baseline.line = baseline.runs.empty() ? "baseline: none is comparable; judged by limits only"
                                        : fmt::format("baseline: {} runs", baseline.runs.size());
}

// True for texts of a summary that are ours, or that must stay equal for comparisons.
bool IsOwnText(std::string_view column) {
  constexpr std::string_view kOwn[] = {
      "accelerator", "backend", "dialect",  "format", "framework",     "hint.how",     "log.name",
      "selection",   "shows",   "fact.key", "hash",   "work.sum.name", "kernels.rule", "gpu_model"};
  return column.ends_with(".why") || column.ends_with(".absent") || column.ends_with("gpu.name") ||
         std::find(std::begin(kOwn), std::end(kOwn), column) != std::end(kOwn);
}

NameKind RoleOfColumn(std::string_view column) {
  const std::size_t dot = column.rfind('.');
  return dot == column.npos ? NameKind::kName
                            : RoleOf(column.substr(0, dot), column.substr(dot + 1));
}

void HideCode(Summary& summary, const Redaction& redaction) {
  CodeNames code(redaction.key);
  for (const auto& [column, texts] : summary.texts) {
    const bool is_device = column == "gpu_model" || column.ends_with("gpu.name") ||
                           column == "table.gpus.name" || column.ends_with(".gpu");
    for (const std::string& text : texts) {
      if (is_device) code.LearnWhole(text);
      code.Learn(text, RoleOfColumn(column));
    }
  }
  for (auto& [column, texts] : summary.texts) {
    if (column == "hash") {
      for (std::string& text : texts) text = DigestOf(text);
    }
    if (IsOwnText(column)) continue;
    for (std::string& text : texts) {
      text = code.Hide(text, RoleOfColumn(column));
      if (redaction.level == RedactLevel::kAll) text = WithoutShapes(text);
    }
  }
}

}  // namespace

std::string WithoutFolders(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto end =
        static_cast<std::size_t>(std::find_if(text.begin(), text.end(), EndsWord) - text.begin());
    std::string_view word = text.substr(0, end);
    const auto separator = static_cast<std::size_t>(
        std::find_if(word.rbegin(), word.rend(), IsSeparator) - word.rbegin());
    if (separator < word.size() && IsFileName(word.substr(word.size() - separator))) {
      word = word.substr(word.size() - separator);
    }
    out += word;
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string DigestOf(const std::string& hash) {
  constexpr std::size_t kDigits = 64;
  return hash.empty() || hash.size() == kDigits ? hash : HexOf(Sha256(hash));
}

std::string KeyOf(const Redaction& redaction, std::span<const std::string> hashes) {
  return redaction.key.empty() ? fmt::format("{}", fmt::join(hashes, "\n")) : redaction.key;
}

void Redact(Report& report, const Redaction& redaction) {
  Redactor redact(report, Redaction(redaction.level, KeyOfReport(report, redaction)));
  const std::string name = std::exchange(report.profile.name, "run");
  for (std::size_t i = 0; i < report.profile.sources.size(); ++i) {
    report.profile.sources[i] = fmt::format("input {}", i + 1);
  }
  HideBaseline(report);
  HideWaivers(report);
  if (!redaction.HidesCode()) return VisitTexts(report, name, redact);
  for (auto& [key, text] : report.provenance) {
    if (IsInput(key)) text = DigestOf(text);
  }
  for (const Pass pass : {Pass::kLearn, Pass::kNames, Pass::kProse}) {
    redact.Begin(pass);
    VisitTexts(report, name, redact);
  }
}

void RedactSummary(Summary& summary, const Redaction& redaction) {
  if (redaction.HidesCode()) HideCode(summary, redaction);
  const auto keys = summary.texts.find("fact.key"), values = summary.texts.find("fact.value");
  if (keys != summary.texts.end() && values != summary.texts.end()) {
    const std::size_t count = std::min(keys->second.size(), values->second.size());
    for (std::size_t i = count; i-- > 0;) {
      const std::string& key = keys->second[i];
      if (key.find("host") == key.npos && key.find("user") == key.npos) continue;
      keys->second.erase(keys->second.begin() + static_cast<std::ptrdiff_t>(i));
      values->second.erase(values->second.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  for (auto& [column, texts] : summary.texts) {
    if (column == "selection") continue;  // As requested: compared letter by letter.
    for (std::string& text : texts) text = WithoutFolders(text);
  }
}

}  // namespace profgauge::report
