#include "readers/neuron/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/errors.h"
#include "base/in_order.h"
#include "base/parallel.h"
#include "readers/neuron/folder.h"
#include "readers/neuron/json_stream.h"

namespace profgauge::readers::neuron {

Result<std::string_view> Input::Next() {
  PROFGAUGE_TRY(const std::size_t count, source_.Read(buffer_));
  const std::string_view piece(reinterpret_cast<const char*>(buffer_.data()), count);
  hash_.Add(piece);
  total_ += count;
  return piece;
}

double Input::ShareRead() const {
  const std::uint64_t stored = source_.stored_bytes();
  if (stored == 0) return 0;
  return std::min(1.0,
                  static_cast<double>(source_.stored_consumed()) / static_cast<double>(stored));
}

Error At(const ByteSource& source, Error error) {
  if (error.where.file.empty()) error.where.file = source.name();
  return error;
}

Error Truncated(const ByteSource& source, std::uint64_t offset, std::uint64_t rows) {
  return InputErrorAt(source.name(), offset, "neuron/truncated",
                      fmt::format("the profile ends early; {} of its rows are complete", rows),
                      "export it again, or pass --allow-incomplete to judge the readable part");
}

namespace {

// Summaries and metadata keep all fields by name, since new versions add metrics.
Interest InterestIn(std::string_view table) {
  const TableKind kind = TableKindOf(table);
  if (!IsRead(kind)) return Interest::kSkip;
  const bool all = kind == TableKind::kSummary || kind == TableKind::kMetadata;
  return all ? Interest::kAllFields : Interest::kRows;
}

/// Passes tables and summaries of a JSON document to an import.
class JsonRows final : public RowReceiver {
 public:
  explicit JsonRows(Import& import) : import_(import) {}

  // Begins a key of the document: a table, an unread table, or the name of a profile. Only the rows
  // show which one it is.
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
    // {"n_0a73…": {"total_time": …}, …} has one summary for each profile.
    const bool summary = std::any_of(record.All().begin(), record.All().end(),
                                     [](const auto& field) { return field.first == "total_time"; });
    if (!summary) return;
    unread_ = false;
    named_ = true;
    summaries_.push_back({name_, record.All()});
  }

  /// Counts the last table if no part of it was used.
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

/// A piece of the document, and the share (0..1) of the document before it; 0 if unknown.
struct PlacedPiece {
  Piece piece;
  double before = 0;
};

/// Reads the document piece by piece.
class Pieces {
 public:
  explicit Pieces(Input& input) : input_(input) {}

  /// Reads the next piece. False at the end, or if the document is invalid.
  bool Next(PlacedPiece& placed) {
    if (ended_) return false;
    placed.before = input_.ShareRead();
    Piece& piece = placed.piece;
    auto bytes = input_.Next();
    ended_ = !bytes || bytes->empty();
    if (!bytes) damaged_ = std::move(bytes).error();
    const auto status = ended_ ? stream_.End(piece) : stream_.Feed(BehindPreamble(*bytes), piece);
    if (status) return true;
    ended_ = true;
    failed_ = std::move(status).error();
    failed_->where.offset += skipped_;
    return false;
  }

  const JsonStream& stream() const { return stream_; }
  /// The error if the document is not valid.
  const std::optional<Error>& failed() const { return failed_; }
  /// The error if the input ended early.
  const std::optional<Error>& damaged() const { return damaged_; }
  /// The length of the text before the document.
  std::uint64_t lines_skipped() const { return lines_skipped_; }

 private:
  // Returns the text from the document on, without the log lines of the tool before it.
  std::string_view BehindPreamble(std::string_view text) {
    if (begun_) return text;
    begun_ = true;
    const auto start = DocumentStart(text);
    if (start == std::string_view::npos || start == 0) return text;
    const auto before = text.substr(0, start);
    if (before.find_first_not_of(" \t\r\n") != std::string_view::npos) {
      lines_skipped_ = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
    }
    skipped_ = start;
    return text.substr(start);
  }

  Input& input_;
  JsonStream stream_{InterestIn};
  std::optional<Error> failed_, damaged_;
  std::uint64_t skipped_ = 0, lines_skipped_ = 0;
  bool begun_ = false, ended_ = false;
};

double NumberOf(const NamedSummary& summary, std::string_view name) {
  for (const auto& [key, value] : summary.values) {
    if (key == name) return AsNumber(value, -1);
  }
  return -1;
}

// Sorts summaries by device and core, because the file has them in random order, like any Go map.
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
  Pieces pieces(input);
  const std::size_t threads = options.threads > 0 ? options.threads : Cores();
  // Reads the next piece while the rows of the last one are added to the import.
  MakeInOrder<PlacedPiece>(
      threads > 1 ? 2 : 1, [&](PlacedPiece& piece) { return pieces.Next(piece); },
      [](std::size_t, PlacedPiece&) {},
      [&](const PlacedPiece& piece) {
        import.SetRead(piece.before);
        replay.Take(piece.piece.log);
        return true;
      });
  if (pieces.failed()) return Fail(At(source, *pieces.failed()));
  if (pieces.lines_skipped() > 0) {
    import.log().Add(Counter::log_lines_skipped, pieces.lines_skipped());
  }
  const JsonStream& stream = pieces.stream();
  rows.FlushUnread();
  import.log().Add(Counter::numbers_not_json, stream.not_numbers());
  contents.summaries = std::move(rows.summaries());
  contents.dialect = rows.dialect();
  SortByCore(contents.summaries);
  if (stream.complete()) return {};
  if (!options.allow_incomplete) {
    if (pieces.damaged()) return Fail(At(source, *pieces.damaged()));
    return Fail(Truncated(source, input.total(), stream.rows()));
  }
  import.log().Add(Counter::truncated);
  return {};
}

}  // namespace profgauge::readers::neuron
