#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/errors.h"
#include "base/hashes.h"
#include "base/text.h"
#include "readers/dlprof/dlprof_reader.h"
#include "readers/dlprof/statements.h"
#include "readers/text/csv.h"

namespace profgauge::readers {
namespace {

using dlprof::ReportKind;

constexpr std::string_view kReportFormat = "dlprof_report";
constexpr RecordingHint kHints[] = {
    {Capability::kDeviceEvents, "pass DLProf's database (dlprof_dldb.sqlite) of the run"},
};
// The largest kind of report lists every kernel launch of a run.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

bool IsJsonSummary(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{' &&
         (head.find("\"Summary Report\"") != std::string_view::npos ||
          head.find("\"System Config\"") != std::string_view::npos);
}

Result<std::string> ReadAll(ByteSource& source) {
  std::string text;
  std::vector<std::byte> block(std::size_t{1} << 16);
  while (true) {
    PROFGAUGE_TRY(const std::size_t got, source.Read(block));
    if (got == 0) return text;
    text.append(reinterpret_cast<const char*>(block.data()), got);
    if (text.size() > kLargest) {
      return Fail(InputError(source.name(), "dlprof/too-large",
                             "the DLProf report is larger than 1 GiB",
                             "pass DLProf's database instead"));
    }
  }
}

class ReportReader final : public Reader {
 public:
  std::string_view name() const override { return kReportFormat; }
  std::string_view expected() const override { return "DLProf's reports"; }
  std::string_view WhyNeverRanks() const override {
    return "each report states the sums of a whole run";
  }

  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view text =
        WithoutByteOrderMark({reinterpret_cast<const char*>(head.data()), head.size()});
    const bool known = dlprof::KindOfTitle(FirstLine(text)).has_value() || IsJsonSummary(text);
    return known ? Match::kYes : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    PROFGAUGE_TRY(const std::string bytes, ReadAll(source));
    ProfileBuilder builder;
    Source& out = builder.source();
    out.path = source.name();
    out.format = kReportFormat;
    out.accelerator = "nvidia";
    out.bytes = bytes.size();
    ContentHash hash;
    hash.Add(bytes);
    out.hash = hash.Hex();
    const std::string_view text = WithoutByteOrderMark(bytes);
    const auto kind = dlprof::KindOfTitle(FirstLine(text));
    out.dialect = kind ? fmt::format("{}, CSV", dlprof::KindName(*kind)) : "summary, JSON";
    PROFGAUGE_CHECK(Fill(kind, text, options, builder));
    builder.SetHints(kHints);
    PROFGAUGE_TRY(Profile profile, builder.Finish());
    profile.has_timeline = false;
    return profile;
  }

  Status Settle(const std::string& folder, Run& run) const override {
    return dlprof::SettleRun(folder, run);
  }

 private:
  static Status Fill(std::optional<ReportKind> kind, std::string_view text,
                     const ReadOptions& options, ProfileBuilder& builder) {
    if (!kind) {
      PROFGAUGE_TRY(const auto lines, dlprof::SummaryOfJson(text, builder.source().path));
      dlprof::StateSummary(lines, builder);
      return {};
    }
    const dlprof::CsvText csv = dlprof::ParseCsv(text);
    if (csv.truncated && !options.allow_incomplete) {
      return Fail(InputError(
          builder.source().path, "dlprof/truncated", "the DLProf report ends inside a row",
          "copy it again; or pass --allow-incomplete to judge the readable part"));
    }
    if (csv.truncated) builder.log().Add(Counter::truncated);
    const bool has_two_titles =
        !csv.rows.empty() && std::ranges::count(csv.rows, csv.rows.front()) > 1;
    if (has_two_titles) return Fail(JoinedTables(builder.source().path));
    if (*kind == ReportKind::kSummary) {
      dlprof::StateSummary(dlprof::SummaryOfCsv(csv.rows), builder);
      return {};
    }
    return dlprof::StateReport(*kind, csv.rows, builder);
  }
};

}  // namespace

std::unique_ptr<Reader> MakeDlprofReportReader() { return std::make_unique<ReportReader>(); }

}  // namespace profgauge::readers
