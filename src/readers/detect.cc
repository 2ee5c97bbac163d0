#include "readers/detect.h"

#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/byte_source.h"
#include "base/errors.h"
#include "base/text.h"
#include "readers/builtin.h"
#include "readers/database/sqlite_table.h"
#include "readers/one_run.h"
#include "readers/parquet/footer.h"
#include "readers/text/condensed_json.h"
#include "readers/text/json_shape.h"

namespace profgauge::readers {
namespace {

using std::string_view_literals::operator""sv;

/// A kind of file that is often passed by mistake, recognized by its first bytes. Kinds with other
/// signs are rows of foreign.yaml.
struct Lookalike {
  std::string_view start;
  std::string_view code;
  std::string_view message;
  std::string_view help;
};

// UTF-16 is recognized by its byte order mark, or by the zero byte after an ASCII bracket.
constexpr Lookalike kLookalikes[] = {
    {"version https://git-lfs"sv, "input/lfs-pointer",
     "the file is a Git LFS pointer, not the profile itself", "fetch it with `git lfs pull`"},
    {"PK\x03\x04"sv, "input/zip", "the file is a zip archive, not a profile",
     "checkpoints of PyTorch, .npz and .xlsx files are such archives; an archive of profiles is "
     "read where it is passed by its name"},
    {"\xFF\xFE"sv, "input/utf16", "the file is text in UTF-16, expected UTF-8",
     "PowerShell's `>` converts text; copy the original file, or convert it with "
     "`iconv -f UTF-16 -t UTF-8`"},
    {"\xFE\xFF"sv, "input/utf16", "the file is text in UTF-16, expected UTF-8",
     "PowerShell's `>` converts text; copy the original file, or convert it with "
     "`iconv -f UTF-16 -t UTF-8`"},
    {"{\0"sv, "input/utf16", "the file is text in UTF-16, expected UTF-8",
     "convert it with `iconv -f UTF-16LE -t UTF-8`"},
    {"[\0"sv, "input/utf16", "the file is text in UTF-16, expected UTF-8",
     "convert it with `iconv -f UTF-16LE -t UTF-8`"},
};

/// The error for a database whose tables match a row of foreign.yaml.
std::optional<Error> ForeignDatabase(const std::string& file, sqlite::Database& database,
                                     const std::set<std::string>& tables);

// The error for a database that has no reader, by its tables.
Error UnknownDatabase(const std::string& file, sqlite::Database& database,
                      const std::set<std::string>& tables) {
  for (const auto& reader : BuiltinReaders()) {
    if (auto refused = reader->RefuseTables(file, tables)) return *std::move(refused);
  }
  if (auto foreign = ForeignDatabase(file, database, tables)) return *std::move(foreign);
  constexpr std::size_t kMostNamed = 4;
  std::string names;
  for (const std::string& table : tables) {
    if (names.empty()) names = tables.size() == 1 ? "table is " : "tables are ";
    if (const bool is_first = &table == &*tables.begin(); !is_first) names += ", ";
    names += "`" + PrintableShort(table, 40) + "`";
    if (std::count(names.begin(), names.end(), '`') == 2 * kMostNamed) {
      names += tables.size() > kMostNamed ? ", …" : "";
      break;
    }
  }
  return InputError(file, "input/sqlite",
                    tables.empty() ? "the SQLite database is not a profile: it has no tables"
                                   : "the SQLite database is not a profile: its " + names,
                    "export a report of Nsight Systems with `nsys export --type sqlite "
                    "REPORT.nsys-rep`, record with `rocprofv3 --sys-trace -- COMMAND`, or with "
                    "`nvprof -o FILE.nvvp`");
}

/// The error for an SQLite file that is a history of ProfGauge, not a profile. SQLite's header of
/// 100 bytes has the application id at 68, which the history sets to "pgHi".
std::optional<Error> OtherDatabase(const std::string& path, std::string_view head) {
  if (head.size() > 72 && head.substr(68, 4) == "pgHi") {  // The application id.
    return InputError(path, "input/history", "the file is a history of ProfGauge, not a profile",
                      "`profgauge history list --db " + AsShellWord(path) + "`");
  }
  return std::nullopt;
}

// Finds the reader by the tables of the file itself, because SQLite cannot read a stream. Calls
// CheckWhole() first, so that a truncated file is not reported as an unknown database.
Result<const Reader*> FindDatabaseReader(const std::string& path, bool compressed) {
  if (path == "-" || compressed) {
    // If the archive were unpacked, rocprofv3's reader would refuse its content.
    if (path.ends_with(".rpd.gz")) {
      return Fail(
          InputError(path, "input/rpd",
                     "the file is a trace of rocmProfileData (rpd_tracer), which is not supported",
                     "record with `rocprofv3 --sys-trace -- COMMAND` and pass its `*_results.db`"));
    }
    return Fail(InputError(path, "input/sqlite-stream", "an SQLite database must be a plain file",
                           "write it to a file, uncompressed, and pass its name"));
  }
  PROFGAUGE_CHECK(readers::CheckWhole(path));
  PROFGAUGE_TRY(auto database,
                sqlite::Database::Open(path, sqlite::Mode::kImmutable, ErrorKind::kInput));
  PROFGAUGE_TRY(const std::set<std::string> tables, readers::TableNames(database));
  const Reader* best = nullptr;
  Match best_match = Match::kNo;
  for (const auto& reader : BuiltinReaders()) {
    const Match match = reader->SniffTables(tables);
    if (match <= best_match) continue;
    best_match = match;
    best = reader.get();
  }
  if (best == nullptr) return Fail(UnknownDatabase(path, database, tables));
  return best;
}

}  // namespace

namespace {

/// True if `text` is the first kSniffBytes of a JSON document in a file that can be read again.
bool CanBeCondensed(const std::string& path, std::string_view text) {
  if (text.size() < kSniffBytes || HasNoFolder(path)) return false;
  text = WithoutByteOrderMark(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] != '{' && text[first] != '[') return false;
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) || EndOfArchive(path).has_value();
}

}  // namespace

Result<const Reader*> FindReader(const std::string& path, std::span<const std::byte> head,
                                 bool compressed) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (readers::IsSqlite(text)) {
    if (auto other = OtherDatabase(path, text)) return Fail(*std::move(other));
    return FindDatabaseReader(path, compressed);
  }
  if (auto foreign = ForeignFile(path, text, Asked::kBeforeReaders)) {
    return Fail(*std::move(foreign));
  }
  const Reader* best = nullptr;
  Match best_match = Match::kNo;
  for (const auto& reader : BuiltinReaders()) {
    const auto match = reader->Sniff(head);
    if (match <= best_match) continue;
    best_match = match;
    best = reader.get();
    if (match == Match::kYes) break;  // The first of several.
  }
  if (best_match == Match::kYes) return best;
  // Long values may hide the keys that identify the format: reads the document without them.
  if (CanBeCondensed(path, text)) {
    PROFGAUGE_TRY(const auto source, OpenByteSource(path));
    if (const auto condensed = CondensedJson(*source); condensed && condensed->size() > 2) {
      return FindReader(
          path,
          std::as_bytes(std::span(*condensed).first(std::min(condensed->size(), kSniffBytes - 1))),
          compressed);
    }
  }
  if (text.starts_with("{") && text.find("\"tool\": \"profgauge ") != text.npos) {
    return Fail(InputError(path, "input/report", "the file is a report of ProfGauge, not a profile",
                           "`profgauge render` renders its pages again"));
  }
  if (path == "-" && text.starts_with("PK\x03\x04")) {
    return Fail(InputError(path, "input/zip", "a zip archive cannot be read from a pipe",
                           "pass its name; or one member: `unzip -p FILE MEMBER | profgauge check "
                           "-`"));
  }
  for (const auto& lookalike : kLookalikes) {
    if (!text.starts_with(lookalike.start)) continue;
    return Fail(InputError(path, std::string(lookalike.code), std::string(lookalike.message),
                           std::string(lookalike.help)));
  }
  for (const auto& reader : BuiltinReaders()) {
    if (auto refused = reader->Refuse(path, text)) return Fail(*std::move(refused));
  }
  if (auto foreign = ForeignFile(path, text, Asked::kAfterReaders)) {
    return Fail(*std::move(foreign));
  }
  if (best != nullptr) return best;
  if (readers::parquet::IsParquet(text)) {
    return Fail(InputError(path, "input/parquet",
                           "the file is a Parquet table with an unknown name",
                           "pass the folder that neuron-explorer or `nsys export --type "
                           "parquetdir` wrote, with its original file names"));
  }
  return Fail(UnknownFile(path, text));
}

namespace {

struct ForeignKind {
  std::string_view code, what, help, keys, event, matches, name, tables;
  bool list = false, early = false;
};

constexpr ForeignKind kForeignKinds[] = {
#include "knowledge/foreign.inc"
};

/// Regular expressions search at most this many bytes: lines of a log, or the begin of other files.
constexpr std::size_t kLooked = 4096;

/// True if `part` accepts each of the texts between the separators.
template <class Fits>
bool AllOf(std::string_view texts, std::string_view separator, const Fits& fits) {
  while (!texts.empty()) {
    const std::size_t end = texts.find(separator);
    if (!fits(texts.substr(0, end))) return false;
    texts.remove_prefix(end == texts.npos ? texts.size() : end + separator.size());
  }
  return true;
}

// True if the row's keys, event and list are found near the beginning (text/json_shape.h). All of
// the row's keys must occur. A row without these three signs fits every file.
bool FitsJson(const ForeignKind& row, const readers::JsonShape& shape) {
  if (row.list && !shape.is_list) return false;
  return AllOf(row.keys, " ", [&](std::string_view key) { return shape.Has(key); }) &&
         AllOf(row.event, " & ",
               [&](std::string_view text) { return shape.events.find(text) != std::string::npos; });
}

/// The compiled patterns of one row; null if it has none.
struct Patterns {
  std::unique_ptr<RE2> matches, name;
};

// The encoding is Latin-1: the bytes need not be UTF-8, and each counts as one character.
std::unique_ptr<RE2> PatternOf(std::string_view text) {
  if (text.empty()) return nullptr;
  RE2::Options bytes;
  bytes.set_encoding(RE2::Options::EncodingLatin1);
  bytes.set_log_errors(false);
  return std::make_unique<RE2>(text, bytes);
}

std::vector<Patterns> AllPatterns() {
  std::vector<Patterns> all;
  for (const ForeignKind& row : kForeignKinds)
    all.push_back({PatternOf(row.matches), PatternOf(row.name)});
  return all;
}

// Rows with `early` have only signs in JSON, so other files are skipped.
const ForeignKind* FindEarly(const readers::JsonShape& shape) {
  if (!shape.is_object && !shape.is_list) return nullptr;
  for (const ForeignKind& row : kForeignKinds) {
    if (row.early && FitsJson(row, shape)) return &row;
  }
  return nullptr;
}

struct Found {
  const ForeignKind* row = nullptr;
  std::string detail;  ///< The match of the pattern's group; empty if it has none.
};

// All signs of a row (keys, text and name) must fit.
Found FindLate(const std::string& path, std::string_view head, const readers::JsonShape& shape) {
  static const std::vector<Patterns> patterns = AllPatterns();
  const std::string name = std::filesystem::path(path).filename().string();
  const std::string_view looked = head.substr(0, kLooked);
  for (std::size_t i = 0; i < std::size(kForeignKinds); ++i) {
    const ForeignKind& row = kForeignKinds[i];
    if (row.early || !row.tables.empty() || !FitsJson(row, shape)) continue;
    const auto& [matches, of_name] = patterns[i];
    std::string detail;
    const bool has_group = matches != nullptr && matches->NumberOfCapturingGroups() > 0;
    if (has_group && !RE2::PartialMatch(looked, *matches, &detail)) continue;
    if (!has_group && matches != nullptr && !RE2::PartialMatch(looked, *matches)) continue;
    if (of_name != nullptr && !RE2::PartialMatch(name, *of_name)) continue;
    return {&row, PrintableShort(detail)};
  }
  return {};
}

/// Replaces the word FILE by the file's name, so that commands can be pasted. A pipe has no name.
std::string HelpFor(std::string_view help, const std::string& path) {
  constexpr std::string_view kFile = "FILE";
  if (path == "-") return std::string(help);
  std::string text;
  while (!help.empty()) {
    const std::size_t at = help.find(kFile);
    text += help.substr(0, at);
    if (at == help.npos) break;
    const bool is_word = text.empty() || text.back() < 'A' || text.back() > 'Z';
    text += is_word ? AsShellWord(path) : std::string(kFile);
    help.remove_prefix(at + kFile.size());
  }
  return text;
}

bool HasColumn(sqlite::Database& database, std::string_view table, std::string_view column) {
  auto statement = database.Prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  if (!statement) return false;
  statement->Bind(1, table);
  statement->Bind(2, column);
  const auto row = statement->Step();
  return row && *row;
}

std::string WhatOf(const Found& found) {
  std::string what = "the file is " + std::string(found.row->what);
  if (const std::size_t at = what.find("{}"); at != what.npos) what.replace(at, 2, found.detail);
  return what;
}

std::optional<Error> ForeignDatabase(const std::string& file, sqlite::Database& database,
                                     const std::set<std::string>& tables) {
  for (const ForeignKind& row : kForeignKinds) {
    const bool is_none = AllOf(row.tables, " ", [&](std::string_view sign) {
      const std::size_t dot = sign.find('.');
      const std::string table(sign.substr(0, dot));
      if (!tables.contains(table)) return true;
      return dot != sign.npos && !HasColumn(database, table, sign.substr(dot + 1));
    });
    if (is_none) continue;
    return InputError(file, std::string(row.code), WhatOf({&row, ""}), HelpFor(row.help, file));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> ForeignFile(const std::string& path, std::string_view head, Asked asked) {
  const readers::JsonShape shape = readers::ShapeOfJson(head);
  const Found found =
      asked == Asked::kBeforeReaders ? Found{FindEarly(shape), ""} : FindLate(path, head, shape);
  if (found.row == nullptr) return std::nullopt;
  return InputError(path, std::string(found.row->code), WhatOf(found),
                    HelpFor(found.row->help, path));
}

}  // namespace profgauge::readers
