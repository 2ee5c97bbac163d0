#include "readers/neuron/neuron_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/content_hash.h"
#include "model/neuron.h"
#include "readers/neuron/csv.h"
#include "readers/neuron/import.h"
#include "readers/neuron/json_stream.h"

namespace profgauge::readers {
namespace neuron {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20;
/// Lines before the document of a captured summary; more are none.
constexpr std::size_t kMaxPreamble = std::size_t{1} << 20;

/// Forms of the format. kNone: another format.
enum class Form : std::uint8_t { kNone, kJson, kSummaryText, kCsv };

// Keys that no other format writes.
constexpr std::string_view kJsonMarks[] = {"\"evt_wait_time\"",
                                           "\"nc_mem_usage\"",
                                           "\"semaphore_update\"",
                                           "\"neff_header\"",
                                           "\"neff_node\"",
                                           "\"packet_aggregation_id\"",
                                           "\"layer_summary\"",
                                           "\"ticks_per_nanosec\"",
                                           "\"neuroncore_cycle_count\"",
                                           "\"mfu_estimated_percent\"",
                                           "\"pending_dma\"",
                                           "\"hbm_total_transfer_bytes\"",
                                           "\"summary_group_order\"",
                                           "\"dma_queues_info\"",
                                           "\"tensor_engine_active_time\"",
                                           "\"fully_qualified_subgraph\"",
                                           "\"nc_exec_running\"",
                                           "\"nrt_execute\"",
                                           "\"framework_stream_id\""};
constexpr std::string_view kTextMarks[] = {"neuroncore_cycle_count", "mfu_estimated_percent",
                                           "tensor_engine_active_time"};

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

bool HasAny(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

/// Where the document begins: its brace opens the text, or a line after lines of a log.
std::size_t DocumentStart(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return first;
  if (text[first] == '{') return first;
  const auto line = text.find("\n{");
  return line == std::string_view::npos ? line : line + 1;
}

bool IsTable(std::string_view text) {
  const std::string_view line = FirstLine(text);
  if (line.find(',') == std::string_view::npos || line.find('{') != std::string_view::npos) {
    return false;
  }
  TableKind kind = TableKind::kUnknown;
  CsvStream stream(
      [&](const std::vector<std::string>& header) { kind = TableOfHeader(header, ""); });
  stream.Feed(line);
  stream.End();
  return kind != TableKind::kUnknown;
}

Form FormOf(std::string_view text) {
  const auto start = DocumentStart(text);
  if (start != std::string_view::npos && HasAny(text.substr(start), kJsonMarks)) return Form::kJson;
  if (IsTable(text)) return Form::kCsv;
  const bool lines = text.find('{') == std::string_view::npos && HasAny(text, kTextMarks) &&
                     text.find("total_time") != std::string_view::npos;
  return lines && FirstLine(text).find(',') == std::string_view::npos ? Form::kSummaryText
                                                                      : Form::kNone;
}

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads a source to its end, piece by piece.
class Input {
 public:
  explicit Input(ByteSource& source) : source_(source), buffer_(kWindow) {}

  Result<std::string_view> Next() {
    PROFGAUGE_TRY(const std::size_t count, source_.Read(buffer_));
    const std::string_view piece(reinterpret_cast<const char*>(buffer_.data()), count);
    hash_.Add(piece);
    total_ += count;
    return piece;
  }
  std::uint64_t total() const { return total_; }
  std::string Hash() const { return hash_.Hex(); }

 private:
  ByteSource& source_;
  std::vector<std::byte> buffer_;
  ContentHash hash_;
  std::uint64_t total_ = 0;
};

/// Tables and summaries of a JSON document, into an import.
class JsonRows final : public RowReceiver {
 public:
  explicit JsonRows(Import& import) : import_(import) {}

  Interest BeginTable(std::string_view name) override {
    FlushUnread();
    name_ = name;
    kind_ = TableKindOf(name);
    import_.Begin(kind_);
    if (kind_ == TableKind::kUnused) return Interest::kSkip;
    unread_ = kind_ == TableKind::kUnknown;
    if (unread_) return Interest::kSkip;
    system_ = system_ || kind_ == TableKind::kTraceEvents;
    const bool all = kind_ == TableKind::kSummary || kind_ == TableKind::kMetadata;
    return all ? Interest::kAllFields : Interest::kRows;
  }

  void Row(const Record& record, std::uint64_t index, bool whole) override {
    if (!whole) return import_.Take(kind_, name_, record, index);
    // {"n_0a73…": {"total_time": …}}: one summary for each profile; the first is this one's.
    const bool summary = std::any_of(record.All().begin(), record.All().end(),
                                     [](const auto& field) { return field.first == "total_time"; });
    if (!summary || summarized_) return;
    unread_ = false;
    summarized_ = true;
    for (const auto& [name, value] : record.All()) import_.TakeSummaryValue(name, value);
  }

  /// Counts the last table when nothing of it was used.
  void FlushUnread() {
    if (unread_) import_.TakeUnread(name_);
    unread_ = false;
  }
  bool summarized() const { return summarized_; }
  bool system() const { return system_; }

 private:
  Import& import_;
  std::string name_;
  TableKind kind_ = TableKind::kUnknown;
  bool summarized_ = false, system_ = false, unread_ = false;
};

Error At(const ByteSource& source, Error error) {
  if (error.where.file.empty()) error.where.file = source.name();
  return error;
}

Error Truncated(const ByteSource& source, std::uint64_t offset, std::uint64_t rows) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = "neuron/truncated";
  error.message = fmt::format("the profile ends early; {} of its rows are complete", rows);
  error.where.file = source.name();
  error.where.offset = offset;
  error.where.has_offset = true;
  error.notes.emplace_back(
      "help: export it again, or pass --allow-incomplete to judge what is there");
  return error;
}

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

Status ReadJson(ByteSource& source, Input& input, const ReadOptions& options, Import& import,
                std::string& dialect) {
  JsonRows rows(import);
  JsonStream stream(rows);
  bool begun = false;
  std::optional<Error> damaged;
  std::uint64_t skipped = 0;
  const auto place = [&](Error error) {
    error.where.offset += skipped;
    return At(source, std::move(error));
  };
  for (;;) {
    auto piece = input.Next();
    if (!piece) {
      damaged = std::move(piece).error();
      break;
    }
    if (piece->empty()) break;
    std::string_view text = *piece;
    if (!begun) {
      text = SkipPreamble(text, import);
      skipped = piece->size() - text.size();
      begun = true;
    }
    if (auto status = stream.Feed(text); !status) return Fail(place(std::move(status).error()));
  }
  if (auto status = stream.End(); !status) return Fail(place(std::move(status).error()));
  rows.FlushUnread();
  import.log().Add(Counter::numbers_not_json, stream.not_numbers());
  dialect = rows.summarized() ? "summary-json" : rows.system() ? "system profile" : "JSON";
  if (stream.complete()) return {};
  if (!options.allow_incomplete) {
    if (damaged) return Fail(At(source, std::move(*damaged)));
    return Fail(Truncated(source, input.total(), stream.rows()));
  }
  import.log().Add(Counter::truncated);
  return {};
}

Status ReadCsv(ByteSource& source, Input& input, const ReadOptions& options, Import& import) {
  CsvTable table(import, source.name());
  CsvStream stream([&](const std::vector<std::string>& fields) { table.Take(fields); });
  for (;;) {
    PROFGAUGE_TRY(const std::string_view piece, input.Next());
    if (piece.empty()) break;
    stream.Feed(piece);
  }
  if (stream.End()) return {};
  if (!options.allow_incomplete) return Fail(Truncated(source, input.total(), table.rows()));
  import.log().Add(Counter::truncated);
  return {};
}

/// Lines `name   value`.
Status ReadSummaryText(Input& input, Import& import) {
  std::string text;
  for (;;) {
    PROFGAUGE_TRY(const std::string_view piece, input.Next());
    if (piece.empty() || text.size() > kMaxPreamble) break;
    text += piece;
  }
  Record record;
  record.Clear(true);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = FirstLine(rest);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto gap = line.find_first_of(" \t");
    const auto begin = line.find_first_not_of(" \t:", gap);
    if (gap == 0 || gap == std::string_view::npos || begin == std::string_view::npos) continue;
    const auto end = line.find_last_not_of(" \t\r");
    const std::string value(line.substr(begin, end + 1 - begin));
    const std::string name(line.substr(0, line[gap - 1] == ':' ? gap - 1 : gap));
    record.Clear(true);
    record.Begin("value");
    record.AddText(value);
    const auto integer = record.Integer(Key::kValue);
    const double real = record.Real(Key::kValue, -1);
    import.TakeSummaryValue(name, integer     ? Value(*integer)
                                  : real >= 0 ? Value(real)
                                              : Value(value));
  }
  return {};
}

std::string DialectOf(const data::Data& data, std::string form) {
  const Value* version = data.FindSummary("profiler_version");
  const auto* text = version == nullptr ? nullptr : std::get_if<std::string>(version);
  return text == nullptr ? form : form + ", profiler " + *text;
}

void SetSource(Profile& profile, const std::string& path, std::uint64_t bytes, std::string hash,
               std::string dialect) {
  profile.source = {path, "neuron", std::move(dialect), bytes, std::move(hash)};
}

/// Gives bytes again that were read to look at them.
class Again final : public ByteSource {
 public:
  Again(ByteSource& source, std::vector<std::byte> head)
      : source_(source), head_(std::move(head)) {}
  std::span<const std::byte> head() const { return head_; }
  const std::string& name() const override { return source_.name(); }
  bool compressed() const override { return source_.compressed(); }
  std::uint64_t stored_bytes() const override { return source_.stored_bytes(); }
  std::uint64_t stored_consumed() const override { return source_.stored_consumed(); }
  Result<std::size_t> Read(std::span<std::byte> out) override {
    if (given_ == head_.size()) return source_.Read(out);
    const auto count = std::min(out.size(), head_.size() - given_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(given_), count, out.begin());
    given_ += count;
    return count;
  }

 private:
  ByteSource& source_;
  std::vector<std::byte> head_;
  std::size_t given_ = 0;
};

Result<std::vector<std::byte>> ReadHead(ByteSource& source) {
  std::vector<std::byte> head(kSniffBytes);
  std::size_t have = 0;
  while (have < head.size()) {
    PROFGAUGE_TRY(const auto got, source.Read(std::span(head).subspan(have)));
    if (got == 0) break;
    have += got;
  }
  head.resize(have);
  return head;
}

class NeuronReader final : public Reader {
 public:
  std::string_view name() const override { return "neuron"; }

  Match Sniff(std::span<const std::byte> head) const override {
    return FormOf(AsText(head)) == Form::kNone ? Match::kNo : Match::kYes;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    Import import;
    std::string dialect;
    // What it is shows in the first bytes, which come again.
    PROFGAUGE_TRY(auto head, ReadHead(source));
    Again again(source, std::move(head));
    Input whole(again);
    const Form form = FormOf(AsText(again.head()));
    if (form == Form::kCsv) {
      PROFGAUGE_CHECK(ReadCsv(again, whole, options, import));
      dialect = "one table as CSV";
    } else if (form == Form::kSummaryText) {
      PROFGAUGE_CHECK(ReadSummaryText(whole, import));
      dialect = "summary-text";
    } else {
      PROFGAUGE_CHECK(ReadJson(again, whole, options, import, dialect));
    }
    auto profile = import.Finish();
    if (!profile) return Fail(At(source, std::move(profile).error()));
    SetSource(*profile, source.name(), whole.total(), whole.Hash(),
              DialectOf(import.data(), dialect));
    return profile;
  }
};

Result<Profile> ReadTables(const std::vector<std::string>& paths, const ReadOptions& options) {
  Import import;
  std::uint64_t bytes = 0;
  ContentHash hash;
  for (const std::string& path : paths) {
    PROFGAUGE_TRY(auto source, OpenByteSource(path));
    Input input(*source);
    PROFGAUGE_CHECK(ReadCsv(*source, input, options, import));
    bytes += input.total();
    hash.Add(input.Hash());
  }
  auto profile = import.Finish();
  if (!profile) {
    Error error = std::move(profile).error();
    error.where.file = paths.front();
    return Fail(std::move(error));
  }
  SetSource(*profile, paths.front(), bytes, hash.Hex(), DialectOf(import.data(), "tables as CSV"));
  return profile;
}

}  // namespace
}  // namespace neuron

std::unique_ptr<Reader> MakeNeuronReader() { return std::make_unique<neuron::NeuronReader>(); }

bool IsNeuronTable(std::span<const std::byte> head) {
  return neuron::IsTable(neuron::AsText(head));
}

bool IsNeuronTableName(const std::string& path) {
  return neuron::TableKindOf(neuron::TableNameOf(path)) != neuron::TableKind::kUnknown;
}

Result<Profile> ReadNeuronTables(const std::vector<std::string>& paths,
                                 const ReadOptions& options) {
  return neuron::ReadTables(paths, options);
}

}  // namespace profgauge::readers
