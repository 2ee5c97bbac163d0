#include "cli/file_kind.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/csv.h"
#include "base/files.h"
#include "exports/dlprof/dlprof_csv.h"
#include "exports/nsys/reports.h"
#include "exports/pyprof/prof.h"
#include "gate/snapshot.h"
#include "model/summary/summary_file.h"
#include "readers/run_side/times_reader.h"

namespace profgauge::cli {
namespace {

constexpr std::size_t kHeadBytes = 64 << 10;
constexpr std::size_t kTailBytes = 4 << 10;

struct Ends {
  std::string head, tail;
  bool Has(std::string_view text) const {
    return head.find(text) != std::string::npos || tail.find(text) != std::string::npos;
  }
};

// Both ends of a file (they overlap if it is small); empty if it cannot be read.
Ends ReadEnds(const std::string& path) {
  Ends ends;
  ends.head = ReadHead(path, kHeadBytes);
  if (auto tail = ReadTail(path, kTailBytes)) ends.tail = std::move(tail->bytes);
  return ends;
}

// The first bytes of a gzipped file's contents, or else of the file.
std::string InflatedHead(const std::string& path) {
  std::string head(kHeadBytes, '\0');
  std::size_t have = 0;
  auto source = OpenByteSource(path);
  while (source && have < head.size()) {
    const auto got = (*source)->Read(std::as_writable_bytes(std::span(head).subspan(have)));
    if (!got || *got == 0) break;
    have += *got;
  }
  head.resize(have);
  return head;
}

// JSON without blanks (in texts, too), so that a pretty-printed file is recognized as well.
std::string WithoutBlanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') out += c;
  }
  return out;
}

std::string_view FirstLine(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}

// The first bytes of a document, in which `kind` and `tool` come before any text of the user.
std::string_view FirstOf(std::string_view text) { return text.substr(0, 512); }

// The words of a head, separated by commas, quotes or blanks.
std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c != ',' && c != '"' && c != ' ') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// True if every word of the first line is a column of `export kernels`. Any selection and order is
// valid, because --columns chooses them.
bool IsHeadOfKernels(std::string_view line) {
  const auto words = WordsOf(line);
  const auto is_column = [](const std::string& word) {
    const auto columns = exports::pyprof::AllColumns();
    return std::any_of(
        columns.begin(), columns.end(),
        [&](const exports::pyprof::ColumnName& column) { return column.header == word; });
  };
  return !words.empty() && std::all_of(words.begin(), words.end(), is_column);
}

// True if the first line has the words of one report of `export nsys`, in order. The aligned form
// has the same words as the CSV.
bool IsHeadOfNsys(std::string_view line) {
  const auto words = WordsOf(line);
  const auto reports = exports::nsys::Reports();
  return std::any_of(reports.begin(), reports.end(), [&](const exports::nsys::ReportSpec& report) {
    std::string head;
    AppendCsvRow(head, report.make({}).heads, CsvQuotes::kNeeded);
    return WordsOf(FirstLine(head)) == words;
  });
}

// True for a `[` followed by nothing or by issues as in GitLab and Code Climate.
bool IsCodeQuality(std::string_view head) {
  const std::string text = WithoutBlanks(head);
  if (text == "[]") return true;
  return text.starts_with("[{") && text.find("\"check_name\":") != text.npos &&
         text.find("\"fingerprint\":") != text.npos;
}

// True for a history. Source: https://www.sqlite.org/fileformat.html
//   bytes 0..15    "SQLite format 3" and a zero
//   bytes 68..71   application id, "pgHi": PRAGMA application_id of gate/history
bool IsHistory(std::string_view head) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr std::size_t kApplicationIdAt = 68;
  return head.starts_with(kMagic) && head.size() > kApplicationIdAt &&
         head.substr(kApplicationIdAt).starts_with("pgHi");
}

}  // namespace

// True if the file has the sign of its kind. Signs are short texts that our writers put near the
// start of a file, or at the end of a page, so only the ends of a file are read. JSON is compared
// without blanks, because people pretty-print it.
bool IsOurs(const std::string& path, FileKind kind) {
  if (kind == FileKind::kForPeople || kind == FileKind::kDatabase) return false;
  if (kind == FileKind::kXlsx) return IsOurWorkbook(path);
  const Ends ends = ReadEnds(path);
  const std::string& head = ends.head;
  constexpr std::string_view kComment = "<!-- profgauge";
  switch (kind) {
    case FileKind::kHtml:
      return head.find("<meta name=\"generator\" content=\"profgauge") != head.npos ||
             ends.tail.find(kComment) != std::string::npos;
    case FileKind::kAsset:
      return head.starts_with("/* profgauge ");
    case FileKind::kMarkdown:
      return ends.Has(kComment);
    case FileKind::kJson:
    case FileKind::kBaseline: {
      const std::string json = WithoutBlanks(FirstOf(head));
      const bool is_baseline =
          json.find("\"kind\":\"" + std::string(gate::kBaselineKind)) != json.npos;
      if (kind == FileKind::kBaseline) return json.starts_with('{') && is_baseline;
      return json.starts_with("{\"schema\":") && !is_baseline &&
             json.find("\"tool\":\"profgauge") != json.npos;
    }
    case FileKind::kVerdict:
      return WithoutBlanks(FirstOf(head)).find("\"kind\":\"profgauge.verdict\"") != head.npos;
    case FileKind::kRow:
      return head.starts_with("{\"row_schema\": ") || head.starts_with("row_schema,run,") ||
             (head.starts_with("PAR1") && ends.tail.find(kRowsKind) != std::string::npos);
    case FileKind::kRuns:
      return WithoutBlanks(FirstOf(head)).find("\"kind\":\"profgauge.runs\"") != head.npos;
    case FileKind::kTables:
      return WithoutBlanks(FirstOf(head)).find("\"kind\":\"profgauge.tables\"") != head.npos;
    case FileKind::kTableStore:
      return head.starts_with("SQLite format 3") &&
             std::string_view(head).substr(0, 72).ends_with("PGAG");
    case FileKind::kText:
      return head.starts_with("profgauge: ");
    case FileKind::kDotenv:
      return head.starts_with("PROFGAUGE_VERDICT=");
    case FileKind::kSummary:
      // The summary of a file of times is itself a file of times.
      return LooksLikeSummaries(InflatedHead(path)) ||
             (path.ends_with("run.pgsum") && readers::LooksLikeTimes(InflatedHead(path)));
    case FileKind::kTrace:
      return WithoutBlanks(FirstOf(InflatedHead(path)))
                 .find("\"otherData\":{\"tool\":\"profgauge") != std::string::npos;
    case FileKind::kJunit:
      return head.find("<testsuites") != head.npos &&
             (head.find("<testsuites name=\"profgauge") != head.npos ||
              head.find("<testsuite name=\"profgauge") != head.npos);
    case FileKind::kSarif:
      return WithoutBlanks(head).find("\"driver\":{\"name\":\"profgauge\"") != std::string::npos;
    case FileKind::kGithub:
      return head.starts_with("::") && FirstLine(head).find("title=") != std::string::npos;
    case FileKind::kGitlab:
      return IsCodeQuality(head);
    case FileKind::kOpenMetrics:
      return head.starts_with("# ") && FirstLine(head).find(" profgauge_") != std::string::npos;
    case FileKind::kKernels:
      return IsHeadOfKernels(FirstLine(head)) || head.starts_with("{'kShortName': ");
    case FileKind::kNsys:
      return IsHeadOfNsys(FirstLine(head));
    case FileKind::kDlprof:
      return std::find(exports::dlprof::kDlprofTitles.begin(), exports::dlprof::kDlprofTitles.end(),
                       FirstLine(head)) != exports::dlprof::kDlprofTitles.end();
    case FileKind::kHistory:
      return IsHistory(head);
    case FileKind::kXlsx:
    case FileKind::kForPeople:
    case FileKind::kDatabase:
      break;
  }
  return false;
}

}  // namespace profgauge::cli
