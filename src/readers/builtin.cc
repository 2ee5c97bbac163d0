#include "readers/builtin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/byte_source.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/sqlite.h"
#include "base/text.h"
#include "readers/ascend/ascend_reader.h"
#include "readers/ascend/scrub.h"
#include "readers/database/sqlite_table.h"
#include "readers/detect.h"
#include "readers/dlprof/dlprof_reader.h"
#include "readers/kineto/kineto_reader.h"
#include "readers/kineto/pftrace/pftrace_reader.h"
#include "readers/kineto/pftrace/scrub.h"
#include "readers/load.h"
#include "readers/neuron/folder.h"
#include "readers/neuron/neuron_reader.h"
#include "readers/neuron/scrub.h"
#include "readers/nsight_systems/nsight_reader.h"
#include "readers/nvprof/nvprof_reader.h"
#include "readers/nvprof/scrub.h"
#include "readers/parquet/footer.h"
#include "readers/pyprof/net_dict_reader.h"
#include "readers/rocprofv3/rocpd/rocpd_reader.h"
#include "readers/rocprofv3/rocpd/schema.h"
#include "readers/rocprofv3/rocpd/scrub.h"
#include "readers/rocprofv3/rocprofv3_reader.h"
#include "readers/run_side/times_reader.h"
#include "readers/summary/summary_reader.h"
#include "readers/text/blocks.h"
#include "readers/text/csv_copy.h"
#include "readers/text/json_copy.h"
#include "readers/text/json_shape.h"
#include "readers/xla/scrub.h"
#include "readers/xla/xla_reader.h"

namespace profgauge::readers {
namespace {

// If two readers are equally sure, the first one reads the file, so narrow formats come before wide
// ones. Ascend and XLA come before Kineto: their JSON has trace events like Kineto's, with
// additional signs.
std::vector<std::unique_ptr<Reader>> MakeBuiltinReaders() {
  std::vector<std::unique_ptr<Reader>> made;
  made.push_back(readers::MakeSummaryReader());
  made.push_back(readers::MakeAscendTraceReader());
  made.push_back(readers::MakeAscendTableReader());
  made.push_back(readers::MakeRocprofv3Reader());
  made.push_back(readers::MakeRocpdReader());
  made.push_back(readers::MakeXPlaneReader());
  made.push_back(readers::MakeXlaTraceReader());
  made.push_back(readers::MakeKinetoReader());
  made.push_back(readers::MakePftraceReader());
  made.push_back(readers::MakeNeuronReader());
  made.push_back(readers::MakeNsightReader());
  made.push_back(readers::MakeNvprofReader());
  made.push_back(readers::MakeNetDictReader());
  made.push_back(readers::MakeDlprofDatabaseReader());
  made.push_back(readers::MakeDlprofReportReader());
  made.push_back(readers::MakeTimesReader());  // Reads any text that no other reader reads.
  return made;
}

}  // namespace

std::span<const std::unique_ptr<Reader>> BuiltinReaders() {
  static const auto kReaders = MakeBuiltinReaders();
  return kReaders;
}

std::string_view WhatToCheckFirst(const Source& source) {
  for (const auto& reader : BuiltinReaders()) {
    if (const std::string_view check = reader->CheckFirst(source); !check.empty()) return check;
  }
  return {};
}

}  // namespace profgauge::readers

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReport = "share a report: `profgauge report PROFILE --redact=code`";

/// The kinds of files that are not copied, and the file to share instead; for all other formats, a
/// report. A copy keeps the format, because its receiver must be able to read it like the original.
struct NotCopied {
  std::string_view format, what, instead;
};
constexpr NotCopied kNotCopied[] = {
    {"summary", "a summary of ranks",
     "make one without names: `profgauge summarize PROFILE --redact=code -o SUMMARY.pgsum`"},
    {"parquet", "a table in Parquet",
     "of Nsight Systems scrub `nsys export --type sqlite REPORT.nsys-rep`; of Neuron share a "
     "report: `profgauge report PROFILE --redact=code`"},
    {"text", "text that neuron-profile printed",
     "scrub its JSON, of `--output-format summary-json`"},
    {"database", "another database", kReport},
};

Error FolderGiven(const std::string& in) {
  return InputError(in, "scrub/format", "scrub takes one file, found a folder",
                    "make a folder OUT, then: `for f in DIR/*; do profgauge scrub \"$f\" "
                    "\"OUT/${f##*/}\"; done`");
}

Error OtherFormat(const std::string& in, std::string_view format) {
  const auto* found = std::find_if(std::begin(kNotCopied), std::end(kNotCopied),
                                   [&](const NotCopied& row) { return row.format == format; });
  return InputError(
      in, "scrub/format",
      fmt::format("expected a trace of PyTorch or XLA, JSON or CSV of rocprofv3, Neuron or Ascend, "
                  "or a database of Nsight Systems, rocprofv3 or NVProf, found {}",
                  found == std::end(kNotCopied) ? format : found->what),
      std::string(found == std::end(kNotCopied) ? kReport : found->instead));
}

/// The start of a file, and its reader.
struct Known {
  std::vector<std::byte> head;
  const Reader* reader = nullptr;
  std::string_view text() const {
    return {reinterpret_cast<const char*>(head.data()), head.size()};
  }
};

// Parquet is recognized first, because FindReader() would ask for the folder instead.
Result<Known> KnownOf(const std::string& in) {
  PROFGAUGE_TRY(const auto source, OpenByteSource(in));
  Known known;
  known.head.resize(kSniffBytes);
  std::size_t size = 0;
  while (size < known.head.size()) {
    PROFGAUGE_TRY(const std::size_t got, source->Read(std::span(known.head).subspan(size)));
    if (got == 0) break;
    size += got;
  }
  known.head.resize(size);
  if (parquet::IsParquet(known.text())) return Fail(OtherFormat(in, "parquet"));
  PROFGAUGE_TRY(known.reader, FindReader(in, known.head, source->compressed()));
  return known;
}

// Reads the whole file into one string, for copiers that cannot work block by block.
Result<std::string> AllOf(ByteSource& source) {
  std::string all;
  const auto append = [&all](std::string_view bytes, std::uint64_t) -> Status {
    all += bytes;
    return {};
  };
  PROFGAUGE_CHECK(ForEachWholeBlock(source, append));
  return all;
}

// XLA's reader has two forms of input: trace.json is an object, an XPlane file is a message.
Result<std::string> ScrubXla(ByteSource& source, const Known& known, const Rename& rename) {
  if (known.text().starts_with("{")) return CopyJson(source, xla::KeptKeys(rename));
  PROFGAUGE_TRY(const std::string bytes, AllOf(source));
  return xla::ScrubXSpace(source.name(), bytes, rename);
}

Result<std::string> ScrubNeuron(ByteSource& source, const Known& known, const Rename& rename) {
  switch (neuron::FormOf(known.text())) {
    case neuron::Form::kCsv:
      return CopyCsv(source, neuron::KeptColumn, rename);
    case neuron::Form::kSummaryText:
      return Fail(OtherFormat(source.name(), "text"));
    case neuron::Form::kJson:
    case neuron::Form::kNone:
      break;
  }
  // Lines of a log may come before the document.
  PROFGAUGE_TRY(const std::string bytes, AllOf(source));
  const std::size_t start = neuron::DocumentStart(bytes);
  const auto document = std::as_bytes(std::span(bytes).subspan(start == bytes.npos ? 0 : start));
  return CopyJson(*MakeMemorySource(source.name(), document), neuron::KeptKeys(rename));
}

Result<std::string> ScrubAscend(ByteSource& source, const Known& known, const Rename& rename) {
  const bool is_json = known.text().starts_with("[") || known.text().starts_with("{");
  if (!is_json) return CopyCsv(source, ascend::KeptColumn, rename);
  return CopyJson(source, ascend::KeptKeys(rename));
}

// Copies a Perfetto trace. Reads it first, because this refuses the traces of other tools, too.
Result<std::string> ScrubPftrace(const std::string& in, ByteSource& source, const Reader& reader,
                                 const Rename& rename) {
  PROFGAUGE_TRY(const auto again, OpenByteSource(in));
  const auto profile = reader.Read(*again, {});
  if (!profile) return Fail(profile.error());
  return pftrace::ScrubPackets(source, rename);
}

}  // namespace

Result<std::string> ScrubTrace(const std::string& in, const Rename& rename) {
  std::error_code ignored;
  if (fs::is_directory(in, ignored)) {
    const auto files = ListFolder(in);
    const bool has_tables = std::any_of(files.begin(), files.end(), [](const fs::path& path) {
      return path.extension() == ".parquet";
    });
    return Fail(has_tables ? OtherFormat(in, "parquet") : FolderGiven(in));
  }
  PROFGAUGE_TRY(const Known known, KnownOf(in));
  PROFGAUGE_TRY(const auto source, OpenByteSource(in));
  const std::string_view format = known.reader->name();
  if (format == kineto::kReader) return CopyJson(*source, kineto::KeptKeys(rename));
  if (format == pftrace::kReader) return ScrubPftrace(in, *source, *known.reader, rename);
  if (format == rocprofv3::kReader) return CopyJson(*source, rocprofv3::KeptKeys(rename));
  if (format == xla::kReader) return ScrubXla(*source, known, rename);
  if (format == ascend::kReader) return ScrubAscend(*source, known, rename);
  if (format == neuron::kReader) return ScrubNeuron(*source, known, rename);
  return Fail(OtherFormat(in, format == "summary" ? format : known.reader->expected()));
}

// Copies a database. Its tables show the format, as they do for reading.
Result<Scrubbed> ScrubDatabase(const std::string& in, const std::string& out,
                               const Rename& rename) {
  std::set<std::string> tables;
  {
    PROFGAUGE_TRY(auto source,
                  sqlite::Database::Open(in, sqlite::Mode::kImmutable, ErrorKind::kInput));
    PROFGAUGE_TRY(tables, TableNames(source));
  }
  if (!rocpd::SuffixesOf(tables).empty()) return rocpd::ScrubDatabase(in, out, rename);
  if (tables.contains("StringTable")) return nvprof::ScrubDatabase(in, out, rename);
  if (IsExport(tables)) return ScrubExport(in, out, rename);
  return Fail(OtherFormat(in, "database"));
}

}  // namespace profgauge::readers
namespace profgauge::readers {

// Decides if a skipped file of a folder is a missing rank or something else:
//
//   profiles that were read    a file that was not            it is
//   rank0.json, rank1.json     rank2.json, no JSON            a rank that failed: same pattern
//   rank0.json, rank1.json     notes.txt                      something else
//   r0.sqlite, r1.sqlite       r1.nsys-rep                    the raw form of r1.sqlite
//   r0.sqlite, r1.sqlite       r2.nsys-rep                    a rank without an export
//
// A pattern is the name with "#" for each number: "rank#.json". Without this check, a verdict over
// the remaining ranks would hide the failed one.

namespace {

/// Raw forms of supported profilers' output, which have no reader: the user meant to judge them.
constexpr std::string_view kRawForms[] = {"input/nsys-rep", "input/qdstrm", "input/gaudi",
                                          "input/perfetto"};

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// The name without the suffixes of compressors, archivers and unfinished writes.
std::string PlainName(const std::string& path) {
  constexpr std::string_view kAdded[] = {".gz", ".zst", ".xz",  ".bz2", ".lz4",
                                         ".br", ".zip", ".tar", ".tmp", ".part"};
  std::string name = NameOf(path);
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view added : kAdded) {
      if (!name.ends_with(added) || name.size() == added.size()) continue;
      name.resize(name.size() - added.size());
      again = true;
    }
  }
  return name;
}

/// The name up to the first dot. The forms of one profile differ only after it.
std::string StemOf(const std::string& path) {
  const std::string name = NameOf(path);
  return name.substr(0, name.find('.'));
}

/// The name with "#" in place of each number.
std::string NumberlessName(std::string_view text) {
  std::string pattern;
  for (const char letter : text) {
    const bool is_digit = letter >= '0' && letter <= '9';
    if (!is_digit || pattern.empty() || pattern.back() != '#') pattern += is_digit ? '#' : letter;
  }
  return pattern;
}

/// True for a raw form of a rank without an export. A raw form beside its export is no rank.
bool IsRawRank(const std::string& path, const std::vector<Profile>& profiles) {
  const std::string stem = StemOf(path), pattern = NumberlessName(stem);
  bool is_alike = false;
  for (const Profile& profile : profiles) {
    const std::string other = StemOf(profile.source.path);
    if (other == stem) return false;
    is_alike |= NumberlessName(other) == pattern;
  }
  return is_alike;
}

}  // namespace

bool IsNamedAsRecording(const std::string& file) {
  return std::ranges::any_of(BuiltinReaders(), [&](const auto& reader) {
    return std::ranges::any_of(reader->suffixes(),
                               [&](std::string_view suffix) { return file.ends_with(suffix); });
  });
}

bool IsNoRecording(const Error& error) {
  if (error.code == "input/empty" || error.code == "input/open" || error.code == "input/read") {
    return !IsNamedAsRecording(error.where.file);
  }
  return error.code.starts_with("input/");
}

bool IsLikelyRank(const Error& error, const std::vector<Profile>& profiles) {
  const std::string& path = error.where.file;
  if (std::ranges::find(kRawForms, error.code) != std::end(kRawForms) &&
      IsRawRank(path, profiles)) {
    return true;
  }
  return HasNameLike(path, profiles);
}

bool HasNameLike(const std::string& path, const std::vector<Profile>& profiles) {
  const std::string pattern = NumberlessName(PlainName(path));
  return std::ranges::any_of(profiles, [&](const Profile& profile) {
    return NumberlessName(PlainName(profile.source.path)) == pattern;
  });
}

// The error for a file that has no reader.

namespace {

/// True if the first 512 bytes have control characters that do not occur in text.
bool IsBinary(std::string_view head) {
  const std::string_view looked = head.substr(0, 512);
  return std::any_of(looked.begin(), looked.end(), [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < ' ' && letter != '\t' && letter != '\n' && letter != '\r' && letter != '\f';
  });
}

/// Formats names as "`a`, `b`, …".
std::string Names(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    text.append(text.empty() ? "`" : ", `").append(PrintableShort(name)).append("`");
  }
  return PrintableShort(text, 200);
}

// Shows only the keys of a document: they name its tool, while values may hold anything.
std::string OfJson(const readers::JsonShape& shape) {
  const std::string what = shape.is_list ? "a list in JSON" : "JSON";
  if (shape.keys.empty()) return what + " without keys";
  return fmt::format("{}{} with the keys {}", what, shape.is_list ? " of objects" : "",
                     Names(shape.keys));
}

std::vector<std::string_view> Cells(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (bool more = true; more;) {
    const std::size_t end = line.find(separator);
    std::string_view cell = line.substr(0, end);
    more = end != line.npos;
    if (more) line.remove_prefix(end + 1);
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.push_back(cell);
  }
  return cells;
}

// A first line of three cells or more is the head of a table; its columns name the tool.
std::string OfText(std::string_view head) {
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  // One comma is no sign of a table, since sentences have commas, too.
  for (const char separator : {',', '\t', ';'}) {
    const auto cells = Cells(line, separator);
    if (cells.size() > 2) return "a table with the columns " + Names(cells);
  }
  return fmt::format("text that begins with \"{}\"", PrintableShort(line));
}

std::string OfBytes(std::string_view head) {
  std::string text = "binary data that begins with";
  for (const char letter : head.substr(0, 8)) {
    text += fmt::format(" {:02x}", static_cast<unsigned char>(letter));
  }
  return text;
}

std::string Seen(std::string_view head, const readers::JsonShape& shape) {
  if (IsBinary(head)) return OfBytes(head);
  return shape.is_object || shape.is_list ? OfJson(shape) : OfText(head);
}

/// Lists the supported inputs by name: "Ascend's …, PyTorch's … or rocprofv3's …". For a JSON
/// document only inputs in JSON are listed.
std::string EachExpected(bool is_json) {
  std::vector<std::string_view> each;
  for (const auto& reader : BuiltinReaders()) {
    const auto suffixes = reader->suffixes();
    const bool is_of_json = std::ranges::find(suffixes, ".json") != suffixes.end();
    if (!is_json || is_of_json) each.push_back(reader->expected());
  }
  std::sort(each.begin(), each.end());
  std::string text;
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (i > 0) text += i + 1 == each.size() ? " or " : ", ";
    text += each[i];
  }
  return text;
}

}  // namespace

Error UnknownFile(const std::string& path, std::string_view head) {
  const readers::JsonShape shape = readers::ShapeOfJson(head);
  const bool is_json = !IsBinary(head) && (shape.is_object || shape.is_list);
  Error error = InputError(path, "input/unknown", "the file is not a profile of a known format");
  error.notes = {"note: it is " + Seen(head, shape), "help: expected " + EachExpected(is_json)};
  return error;
}

}  // namespace profgauge::readers
