#include "readers/neuron/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

#include "readers/neuron/form.h"
#include "readers/neuron/json_stream.h"

namespace profgauge::readers::neuron {
namespace {

Interest InterestIn(std::string_view table) {
  const TableKind kind = TableKindOf(table);
  if (!IsRead(kind)) return Interest::kSkip;
  const bool all = kind == TableKind::kSummary || kind == TableKind::kMetadata;
  return all ? Interest::kAllFields : Interest::kRows;
}

/// Tables and summaries of a JSON document, into an import.
class JsonRows final : public RowReceiver {
 public:
  explicit JsonRows(Import& import) : import_(import) {}

  void BeginTable(std::string_view name) override {
    FlushUnread();
    name_ = name;
    kind_ = TableKindOf(name);
    import_.Begin(kind_);
    unread_ = IsNamed(kind_);
    system_ = system_ || kind_ == TableKind::kTraceEvents;
  }

  void Row(const Record& record, std::uint64_t index, bool whole) override {
    if (kind_ == TableKind::kSummary) {
      return summaries_.push_back({fmt::format("summary[{:06}]", index), record.All()});
    }
    if (!whole) return import_.Take(kind_, name_, record, index);
    // {"n_0a73…": {"total_time": …}, …}: one summary for each profile.
    const bool summary = std::any_of(record.All().begin(), record.All().end(),
                                     [](const auto& field) { return field.first == "total_time"; });
    if (!summary) return;
    unread_ = false;
    named_ = true;
    summaries_.push_back({name_, record.All()});
  }

  /// Counts the last table when nothing of it was used.
  void FlushUnread() {
    if (unread_) import_.TakeUnread(name_);
    unread_ = false;
  }
  std::vector<NamedSummary>& summaries() { return summaries_; }
  std::string dialect() const {
    return named_ ? "summary-json" : system_ ? "system profile" : "JSON";
  }

 private:
  Import& import_;
  std::string name_;
  TableKind kind_ = TableKind::kUnknown;
  std::vector<NamedSummary> summaries_;
  bool named_ = false, system_ = false, unread_ = false;
};

/// The text up to the document, skipped, with its lines counted.
std::string_view SkipPreamble(std::string_view text, Import& import) {
  const auto start = DocumentStart(text);
  if (start == std::string_view::npos || start == 0) return text;
  const auto before = text.substr(0, start);
  if (before.find_first_not_of(" \t\r\n") != std::string_view::npos) {
    import.log().Add(Counter::log_lines_skipped,
                     static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')));
  }
  return text.substr(start);
}

double NumberOf(const NamedSummary& summary, std::string_view name) {
  for (const auto& [key, value] : summary.values) {
    if (key == name) return AsNumber(value, -1);
  }
  return -1;
}

void SortByCore(std::vector<NamedSummary>& summaries) {
  const auto key = [](const NamedSummary& summary) {
    return std::tuple(NumberOf(summary, "nd_idx"), NumberOf(summary, "nc_idx"), summary.name);
  };
  std::sort(summaries.begin(), summaries.end(),
            [&](const NamedSummary& a, const NamedSummary& b) { return key(a) < key(b); });
}

}  // namespace

Status ReadJson(Input& input, const ReadOptions& options, Import& import, JsonContents& contents) {
  const ByteSource& source = input.source();
  JsonRows rows(import);
  RowReplay replay(rows);
  JsonStream stream(InterestIn);
  Piece piece;
  bool begun = false;
  std::optional<Error> damaged;
  std::uint64_t skipped = 0;
  const auto place = [&](Error error) {
    error.where.offset += skipped;
    return At(source, std::move(error));
  };
  for (;;) {
    auto bytes = input.Next();
    if (!bytes) {
      damaged = std::move(bytes).error();
      break;
    }
    if (bytes->empty()) break;
    std::string_view text = *bytes;
    if (!begun) {
      text = SkipPreamble(text, import);
      skipped = bytes->size() - text.size();
      begun = true;
    }
    if (auto status = stream.Feed(text, piece); !status) {
      return Fail(place(std::move(status).error()));
    }
    replay.Take(piece.log);
  }
  if (auto status = stream.End(piece); !status) return Fail(place(std::move(status).error()));
  replay.Take(piece.log);
  rows.FlushUnread();
  import.log().Add(Counter::numbers_not_json, stream.not_numbers());
  contents.summaries = std::move(rows.summaries());
  contents.dialect = rows.dialect();
  SortByCore(contents.summaries);
  if (stream.complete()) return {};
  if (!options.allow_incomplete) {
    if (damaged) return Fail(At(source, std::move(*damaged)));
    return Fail(Truncated(source, input.total(), stream.rows()));
  }
  import.log().Add(Counter::truncated);
  return {};
}

}  // namespace profgauge::readers::neuron
