#include "readers/summary/summary_reader.h"

#include <string>
#include <utility>

#include "model/summary/summary_file.h"

namespace profgauge::readers {
namespace {

Result<std::string> ReadAll(ByteSource& source) {
  std::string bytes;
  std::string part(std::size_t{1} << 18, '\0');
  while (true) {
    auto got = source.Read(std::as_writable_bytes(std::span(part.data(), part.size())));
    if (!got) {
      // If gzip cannot unpack the summary, it is incomplete or damaged, and the error says so.
      Error error = std::move(got).error();
      if (error.code.starts_with("gzip/")) {
        error.code = error.code == "gzip/truncated" ? "summary/truncated" : "summary/damaged";
        error.notes = {"help: write it again with `profgauge summarize`"};
      }
      return Fail(std::move(error));
    }
    if (*got == 0) return bytes;
    bytes.append(part, 0, *got);
  }
}

class SummaryReader final : public Reader {
 public:
  std::string_view name() const override { return "summary"; }
  std::string_view expected() const override { return "ProfGauge's summaries (*.pgsum)"; }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".pgsum"};
    return kSuffixes;
  }
  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    return LooksLikeSummaries(text) ? Match::kYes : Match::kNo;
  }
  // Returns the profile of the first rank, for callers that need only one.
  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    PROFGAUGE_TRY(auto profiles, ReadRanks(source, options));
    return std::move(profiles.front());
  }
  Result<std::vector<Profile>> ReadRanks(ByteSource& source,
                                         const ReadOptions& /*options*/) const override {
    PROFGAUGE_TRY(const std::string bytes, ReadAll(source));
    return ReadStandIns(bytes, source.name());
  }
};

}  // namespace

std::unique_ptr<Reader> MakeSummaryReader() { return std::make_unique<SummaryReader>(); }

}  // namespace profgauge::readers
