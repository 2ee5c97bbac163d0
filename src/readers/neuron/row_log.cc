#include "readers/neuron/row_log.h"

#include <algorithm>
#include <cstring>

namespace profgauge::readers::neuron {

char* TextStore::Room(std::size_t size) {
  constexpr std::size_t kChunk = std::size_t{256} << 10;
  if (chunks_.empty() || chunks_.back().size - used_ < size) {
    const std::size_t made = std::max(size, kChunk);
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(made), made});
    used_ = 0;
  }
  return chunks_.back().bytes.get() + used_;
}

std::string_view TextStore::Keep(std::string_view text) {
  if (text.empty()) return {};
  char* const at = Room(text.size());
  std::memcpy(at, text.data(), text.size());
  Use(text.size());
  return {at, text.size()};
}

void RowLog::TakeFrom(RowLog& other, std::size_t begin) {
  for (std::size_t i = begin; i < other.entries_.size(); ++i) {
    Entry& entry = entries_.emplace_back(other.entries_[i]);
    const bool text =
        entry.kind == Kind::kTable || entry.kind == Kind::kName || entry.kind == Kind::kText;
    if (text) entry.text = texts_.Keep(entry.Text()).data();
  }
  other.Shrink(begin);
}

void RowReplay::Take(const RowLog& log) {
  using Kind = RowLog::Kind;
  for (const RowLog::Entry& entry : log.entries_) {
    switch (entry.kind) {
      case Kind::kTable:
        receiver_.BeginTable(entry.Text());
        index_ = 0;
        break;
      case Kind::kRow:
        record_.Clear(entry.integer != 0);
        break;
      case Kind::kEnd:
        receiver_.Row(record_, index_++, entry.integer != 0);
        break;
      case Kind::kName:
        record_.Begin(entry.Text());
        break;
      case Kind::kInteger:
        record_.Begin(entry.key);
        record_.AddInteger(entry.integer);
        break;
      case Kind::kReal:
        record_.Begin(entry.key);
        record_.AddReal(entry.real);
        break;
      case Kind::kText:
        record_.Begin(entry.key);
        record_.AddText(entry.Text());
        break;
      case Kind::kPredecessor:
        record_.AddPredecessor(entry.integer);
        break;
    }
  }
}

}  // namespace profgauge::readers::neuron
