#include "readers/neuron/neuron_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/hashes.h"
#include "base/text.h"
#include "model/neuron.h"
#include "readers/neuron/file_tables.h"
#include "readers/neuron/folder.h"
#include "readers/neuron/import.h"
#include "readers/neuron/json_document.h"
#include "readers/text/csv.h"

namespace profgauge::readers {
namespace neuron {
namespace {

/// The maximum size of a summary as text, which has some hundred lines.
constexpr std::size_t kMaxSummary = std::size_t{1} << 20;

// The error for a larger summary. Reading only a part of it would silently lose values.
Error SummaryTooLarge(const ByteSource& source) {
  return InputErrorAt(source.name(), kMaxSummary, "neuron/too-large",
                      "the summary as text is larger than 1 MiB",
                      "pass it as JSON: `--output-format summary-json`");
}

// Reads a table with a header line. Refuses a file of two exports in sequence.
Status ReadCsv(Input& input, const ReadOptions& options, Import& import) {
  const ByteSource& source = input.source();
  CsvTable table(import, source.name());
  CsvCutter cutter([&](std::span<const std::string> fields) { table.Take(fields); });
  for (bool is_first = true;; is_first = false) {
    PROFGAUGE_TRY(std::string_view piece, input.Next());
    if (piece.empty()) break;
    if (is_first) piece = WithoutByteOrderMark(piece);
    if (!cutter.Feed(piece)) return Fail(RowTooLong(source.name(), input.total()));
  }
  const bool is_ended = cutter.End(table.columns());
  if (table.is_joined()) return Fail(JoinedTables(source.name()));
  if (is_ended) return {};
  if (!options.allow_incomplete) return Fail(Truncated(source, input.total(), table.rows()));
  import.log().Add(Counter::truncated);
  return {};
}

/// Reads lines `name   value`. Error: "neuron/too-large".
Status ReadSummaryText(Input& input, Import& import) {
  std::string text;
  for (;;) {
    PROFGAUGE_TRY(const std::string_view piece, input.Next());
    if (piece.empty()) break;
    text += piece;
    if (text.size() > kMaxSummary) return Fail(SummaryTooLarge(input.source()));
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

// Adds the version of the profiler to the dialect.
std::string DialectOf(const profgauge::neuron::Data& data, std::string form) {
  const Value* version = data.FindSummary("profiler_version");
  const auto* text = version == nullptr ? nullptr : std::get_if<std::string>(version);
  return text == nullptr ? form : form + ", profiler " + *text;
}

void SetSource(Profile& profile, const std::string& path, std::uint64_t bytes, std::string hash,
               std::string dialect) {
  Source& source = profile.source;
  source.path = path;
  source.format = "neuron";
  source.dialect = std::move(dialect);
  source.bytes = bytes;
  source.hash = std::move(hash);
  source.accelerator = "neuron";
}

/// A stream that passes on its first bytes, which were read to find the form, and then the rest.
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

// Reads as many bytes as Sniff() examines. A single read may return fewer bytes than requested.
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

/// Takes the first summary into `import`, the file's profile. If the file has no instructions, each
/// other summary becomes a separate rank. Otherwise the others are counted as unused.
std::vector<Import> TakeSummaries(std::vector<NamedSummary> summaries, Import& import) {
  std::vector<Import> others;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const bool first = i == 0;
    if (!first && import.data().has.instructions) {
      import.log().Add(Counter::summaries_unused);
      continue;
    }
    Import& target = first ? import : others.emplace_back();
    for (auto& [name, value] : summaries[i].values) {
      target.TakeSummaryValue(name, std::move(value));
    }
  }
  return others;
}

class NeuronReader final : public Reader {
 public:
  std::string_view name() const override { return "neuron"; }
  std::string_view expected() const override { return "AWS Neuron's JSON, tables or summary"; }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".json", ".json.gz"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte> head) const override {
    return FormOf(AsText(head)) == Form::kNone ? Match::kNo : Match::kYes;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    PROFGAUGE_TRY(auto profiles, ReadRanks(source, options));
    return std::move(profiles.front());
  }

  Result<std::vector<Profile>> ReadRanks(ByteSource& source,
                                         const ReadOptions& options) const override {
    std::vector<Import> imports(1);
    std::string dialect;
    // The first bytes show the form. They are read again with the rest.
    PROFGAUGE_TRY(auto head, ReadHead(source));
    Again again(source, std::move(head));
    Input whole(again);
    const Form form = FormOf(AsText(again.head()));
    if (form == Form::kCsv) {
      PROFGAUGE_CHECK(ReadCsv(whole, options, imports[0]));
      dialect = "one table as CSV";
    } else if (form == Form::kSummaryText) {
      PROFGAUGE_CHECK(ReadSummaryText(whole, imports[0]));
      dialect = "summary-text";
    } else {
      JsonContents contents;
      PROFGAUGE_CHECK(ReadJson(whole, options, imports[0], contents));
      dialect = contents.dialect;
      for (Import& other : TakeSummaries(std::move(contents.summaries), imports[0])) {
        imports.push_back(std::move(other));
      }
    }
    std::vector<Profile> profiles;
    for (Import& import : imports) {
      auto profile = import.Finish();
      if (!profile) return Fail(At(source, std::move(profile).error()));
      SetSource(*profile, source.name(), whole.total(), whole.Hash(),
                DialectOf(import.data(), dialect));
      profiles.push_back(std::move(*profile));
    }
    return profiles;
  }

  std::optional<Error> Refuse(const std::string& path, std::string_view head) const override {
    return RefuseRaw(path, head);
  }
  std::string_view CheckFirst(const Source& source) const override {
    if (source.format != name() || !source.dialect.starts_with("tables as Parquet")) return {};
    return "this format was tested without files of neuron-explorer: check that utilizations are "
           "between 0 and 100 %, the total time equals the viewer's, layers nest, and no needed "
           "table is listed as unread; `parquet_form` has the writer of the tables";
  }
  // The folders of neuron-explorer's profiles: DATA/profiles/global/NAME@latest.
  std::vector<std::string> OutputsOf(const std::string& folder,
                                     std::vector<std::string>&) const override {
    return ProfilesBelow(folder);
  }
  Status ReadParts(std::vector<std::string>& files, const ReadOptions& options,
                   Run& run) const override {
    return ReadTableFiles(files, options, run);
  }
  Status Settle(const std::string&, Run& run) const override {
    SettleHost(run);
    return {};
  }
};

// Reads one of several CSV tables. `read` sums up the bytes and hashes of all of them.
Status ReadCsvTable(const std::string& path, const ReadOptions& options, Import& import,
                    FilesRead& read) {
  PROFGAUGE_TRY(auto source, OpenByteSource(path));
  Input input(*source);
  PROFGAUGE_CHECK(ReadCsv(input, options, import));
  read.bytes += input.total();
  read.hash.Add(input.Hash());
  return {};
}

Result<Profile> ReadTables(const TableFiles& tables, const ReadOptions& options) {
  Import import;
  FilesRead read;
  for (const std::string& path : tables.paths) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    read.total += unknown ? 0 : size;
  }
  for (const std::string& path : tables.paths) {
    PROFGAUGE_CHECK(path.ends_with(".parquet") ? ReadParquetTable(path, options, import, read)
                                               : ReadCsvTable(path, options, import, read));
  }
  for (const std::string& missing : tables.missing) {
    import.log().AddAt(Counter::rows_unusable, missing);
  }
  const bool is_parquet = !read.parquet_form.empty();
  if (is_parquet) import.builder().AddFact("parquet_form", read.parquet_form);
  // For Parquet, the folder is the profile, as in the tool's terms.
  const std::filesystem::path& first = tables.paths.front();
  const std::string path = is_parquet && tables.paths.size() > 1 && first.has_parent_path()
                               ? first.parent_path().string()
                               : first.string();
  auto profile = import.Finish();
  if (!profile) {
    Error error = std::move(profile).error();
    error.where.file = path;
    return Fail(std::move(error));
  }
  SetSource(*profile, path, read.bytes, read.hash.Hex(),
            DialectOf(import.data(), is_parquet ? "tables as Parquet" : "tables as CSV"));
  return profile;
}

}  // namespace
}  // namespace neuron

std::unique_ptr<Reader> MakeNeuronReader() { return std::make_unique<neuron::NeuronReader>(); }

Result<Profile> ReadNeuronTables(const neuron::TableFiles& tables, const ReadOptions& options) {
  return neuron::ReadTables(tables, options);
}

}  // namespace profgauge::readers
