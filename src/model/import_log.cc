#include "model/import_log.h"

#include <utility>

#include "base/format.h"

namespace profgauge {
namespace {

constexpr CounterInfo kInfos[] = {
#define X(name, severity, one, text) {#name, Severity::severity, one, text},
    PROFGAUGE_IMPORT_COUNTERS(X)
#undef X
};

}  // namespace

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kRepaired:
      return "repaired";
    case Severity::kSkipped:
      return "skipped";
    case Severity::kDataLoss:
      return "data_loss";
  }
  return "info";
}

const CounterInfo& InfoOf(Counter counter) { return kInfos[static_cast<std::size_t>(counter)]; }

std::string_view CounterText(Counter counter, std::uint64_t count) {
  return count == 1 ? InfoOf(counter).one : InfoOf(counter).text;
}

std::string CountedText(Counter counter, std::uint64_t count) {
  const std::string text(CounterText(counter, count));
  if (count == 1) return text;
  const std::string number = FormatCount(static_cast<std::int64_t>(count));
  const bool is_sentence = InfoOf(counter).one == InfoOf(counter).text;
  return is_sentence ? text + " (" + number + " cases)" : number + " " + text;
}

void ImportLog::AddAt(Counter counter, std::string place) {
  Add(counter);
  auto& examples = examples_[static_cast<std::size_t>(counter)];
  if (examples.size() < kKeptExamples) examples.push_back(std::move(place));
}

void ImportLog::Merge(const ImportLog& other) {
  for (std::size_t i = 0; i < kSize; ++i) {
    counts_[i] += other.counts_[i];
    for (const auto& example : other.examples_[i]) {
      if (examples_[i].size() < kKeptExamples) examples_[i].push_back(example);
    }
  }
}

bool ImportLog::HasDataLoss() const {
  for (std::size_t i = 0; i < kSize; ++i) {
    if (counts_[i] > 0 && kInfos[i].severity == Severity::kDataLoss) return true;
  }
  return false;
}

}  // namespace profgauge
