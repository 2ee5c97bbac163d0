// Any bytes as a file at the place of an output: the kinds of our files that it counts as.
//
// Checks: no crash, no hang, and a file that people edit never counts as ours.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/file_kind.h"
#include "support/fuzz.h"
#include "support/line_mutator.h"
#include "support/temporary_folder.h"

namespace {

using namespace profgauge;

constexpr std::string_view kKnown[] = {"<!-- profgauge",
                                       "<meta name=\"generator\" content=\"profgauge 1\">",
                                       "/* profgauge ",
                                       "{\"schema\": 1, \"tool\": \"profgauge\"}",
                                       "{\"schema\":1,\"kind\":\"profgauge-baseline\"}",
                                       "{\"otherData\":{\"tool\":\"profgauge\"}}",
                                       "<testsuites name=\"profgauge\">",
                                       "{\"driver\":{\"name\":\"profgauge\"}}",
                                       "::error title=x::y",
                                       "[{\"check_name\":\"\",\"fingerprint\":\"\"}]",
                                       "# TYPE profgauge_x gauge",
                                       "{'kShortName': ",
                                       "{\"kind\":\"profgauge-summary\"}",
                                       std::string_view("SQLite format 3\0", 16),
                                       std::string_view("PK\x03\x04", 4),
                                       std::string_view("PK\x05\x06", 4),
                                       "docProps/core.xml",
                                       "<dc:creator>profgauge</dc:creator>"};

}  // namespace

PROFGAUGE_FUZZ_LINES(' ', kKnown)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::TemporaryFolder kFolder;
  const std::string path = kFolder.Write("output", fuzz::TextOf(data, size));
  for (int kind = 0; kind <= static_cast<int>(cli::FileKind::kDatabase); ++kind) {
    const bool is_ours = cli::IsOurs(path, static_cast<cli::FileKind>(kind));
    const bool is_peoples = static_cast<cli::FileKind>(kind) == cli::FileKind::kForPeople;
    fuzz::Require(!is_ours || !is_peoples, "people's files are not replaced");
  }
  return 0;
}
