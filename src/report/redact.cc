#include "report/redact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <utility>

#include "analysis/tables/column_of.h"
#include "analysis/tables/rank_columns.h"

namespace profgauge::report {
namespace {

// Characters that end a path inside a text.
bool EndsWord(char c) {
  return c == ' ' || c == ';' || c == ',' || c == '"' || c == '\'' || c == '`' || c == '\n' ||
         c == '\t' || c == '=' || c == '(' || c == ')' || c == '[' || c == ']';
}

bool IsSeparator(char c) { return c == '/' || c == '\\'; }

// "train.py", "libfoo.so.1", "train.py:12": a name, a dot, a suffix of letters and digits.
bool IsFileName(std::string_view name) {
  const auto colon = name.find(':');
  if (colon != name.npos && name.find("::") == name.npos) name = name.substr(0, colon);
  const auto dot = name.rfind('.');
  if (dot == name.npos || dot == 0 || dot + 1 == name.size() || name.size() - dot > 9) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

class Redactor {
 public:
  explicit Redactor(const Report& report) {
    for (const auto& [name, text] : report.environment) {
      if (name.find("host") != name.npos) AddHost(text);
    }
    for (const Table& table : report.tables) {
      const Column* hosts = ColumnOf<columns::kRanks>(table, "host"_col);
      if (hosts == nullptr || hosts->type() != CellType::kText) continue;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if (!hosts->IsAbsentAt(row)) AddHost(table.strings()[hosts->TextAt(row)]);
      }
    }
    // The longest first: one host's name may begin another's.
    std::stable_sort(hosts_.begin(), hosts_.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  }

  void operator()(std::string& text) const {
    text = WithoutFolders(text);
    for (const auto& [host, other] : hosts_) {
      for (auto at = text.find(host); at != text.npos; at = text.find(host, at + other.size())) {
        text.replace(at, host.size(), other);
      }
    }
  }
  void operator()(Quantity& quantity) const { (*this)(quantity.absent_because); }
  void operator()(std::vector<std::string>& texts) const {
    for (std::string& text : texts) (*this)(text);
  }
  void operator()(std::vector<std::pair<std::string, std::string>>& pairs) const {
    for (auto& [name, text] : pairs) (*this)(text);
  }

  void operator()(RichText& parts) const {
    for (TextPart& part : parts) (*this)(part.text);
  }

  void operator()(Finding& finding) const {
    for (std::string* text : {&finding.message, &finding.advice, &finding.reason, &finding.key}) {
      (*this)(*text);
    }
    (*this)(finding.message_parts);
    for (RichText& point : finding.advice_parts) (*this)(point);
    for (std::vector<Value>& row : finding.evidence) {
      for (Value& cell : row) {
        if (auto* text = std::get_if<std::string>(&cell)) (*this)(*text);
      }
    }
  }

  void operator()(Table& table) const {
    std::unordered_map<std::uint32_t, StringId> known;
    for (Column& column : table.columns()) {
      if (column.type() != CellType::kText) continue;
      for (std::size_t row = 0; row < column.size(); ++row) {
        const StringId id = column.TextAt(row);
        if (!id.valid()) continue;
        const auto [place, is_new] = known.try_emplace(id.value);
        if (is_new) {
          std::string text(table.strings()[id]);
          (*this)(text);
          place->second = table.strings().Intern(text);
        }
        column.SetText(row, place->second);
      }
    }
  }

  // Both runs are named as the report's own is.
  void operator()(Comparison& comparison) const {
    comparison.baseline = "baseline";
    comparison.candidate = "run";
    for (Difference& difference : comparison.differences) {
      (*this)(difference.base), (*this)(difference.current);
    }
    (*this)(comparison.alike);
    for (ComparedMetric& metric : comparison.metrics) (*this)(metric.note);
    for (ComparisonStep& step : comparison.waterfall) (*this)(step.name);
    for (PairedTable* table : {&comparison.kernels, &comparison.ops}) {
      for (PairedWork& work : table->rows) (*this)(work.name);
    }
  }

  void operator()(Timeline& timeline) const {
    for (Timeline::Kind& kind : timeline.kinds) {
      (*this)(kind.name), (*this)(kind.detail);
      for (std::string& text : kind.facets) (*this)(text);
    }
    for (Timeline::Track& track : timeline.tracks) (*this)(track.name), (*this)(track.group);
    for (Timeline::Counter& counter : timeline.counters) (*this)(counter.group);
  }

 private:
  void AddHost(std::string_view name) {
    constexpr std::size_t kShortest = 3;  // "a" would be found everywhere
    const bool known = std::any_of(hosts_.begin(), hosts_.end(),
                                   [&](const auto& host) { return host.first == name; });
    if (known || name.size() < kShortest) return;
    hosts_.emplace_back(name, fmt::format("host-{}", hosts_.size() + 1));
  }

  std::vector<std::pair<std::string, std::string>> hosts_;
};

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

void Redact(Report& report) {
  const Redactor redact(report);
  const std::string name = std::exchange(report.profile.name, "run");
  for (std::size_t i = 0; i < report.profile.sources.size(); ++i) {
    report.profile.sources[i] = fmt::format("input {}", i + 1);
  }
  redact(report.profile.versions);
  redact(report.verdict.policy);
  redact(report.verdict.policy_from);
  redact(report.verdict.config);
  redact(report.verdict.reasons);
  for (GateRow& row : report.gate) redact(row.reason), redact(row.measured);
  for (Metric& metric : report.metrics) redact(metric.quantity), redact(metric.note);
  for (Finding& finding : report.findings) redact(finding);
  for (Table& table : report.tables) redact(table);
  redact(report.absent_tables);
  for (Remark& remark : report.remarks) {
    const auto at = remark.id == "several-runs" ? remark.text.find(name) : remark.text.npos;
    if (at != remark.text.npos) remark.text.replace(at, name.size(), "run");
    redact(remark.text);
  }
  for (CertificateCheck& check : report.recording.checks) redact(check.text);
  for (ImportCounter& counter : report.import) redact(counter.examples);
  redact(report.environment);
  redact(report.provenance);
  if (report.comparison) redact(*report.comparison);
  redact(report.timeline);
}

void RedactSummary(Summary& summary) {
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
    if (column == "selection") continue;  // As it was asked for: distinguished by its letters.
    for (std::string& text : texts) text = WithoutFolders(text);
  }
}

}  // namespace profgauge::report
