// `profgauge scrub`: a copy of a profile that is fit to attach to a ticket.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/format.h"
#include "base/gzip.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/kept_files.h"
#include "cli/outputs.h"
#include "readers/database/sqlite_file.h"
#include "readers/nsight_systems/scrub.h"
#include "readers/scrub_trace.h"

namespace profgauge::cli {

namespace {

namespace fs = std::filesystem;

// ScrubExport writes over nothing; a replaceable file is removed when the copy is complete.
Result<readers::Scrubbed> ScrubInto(const std::string& in, const std::string& out) {
  std::error_code error;
  if (!fs::is_regular_file(out, error)) return readers::ScrubExport(in, out);
  const fs::path target = fs::canonical(out, error);
  const std::string copy = fmt::format("{}.{}.tmp", target.string(), getpid());
  PROFGAUGE_TRY(const readers::Scrubbed done, readers::ScrubExport(in, copy));
  fs::rename(copy, target, error);
  if (!error) return done;
  fs::remove(copy, error);
  return Fail(Error{ErrorKind::kOutput,
                    "output/cannot-write",
                    fmt::format("cannot write `{}`", Printable(out)),
                    {},
                    {}});
}

bool IsDatabase(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(16, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return readers::IsSqlite(head);
}

Result<int> ScrubJson(const std::string& in, const std::string& out, const Options& options,
                      Console& console) {
  Outputs outputs(KeptBy(options));
  PROFGAUGE_TRY(const std::size_t output, outputs.Open(out, FileKind::kTrace));
  PROFGAUGE_TRY(std::string bytes, readers::ScrubTrace(in));
  const std::size_t size = bytes.size();
  if (out.ends_with(".gz")) bytes = Gzip(bytes);
  PROFGAUGE_CHECK(outputs.Commit(output, bytes));
  console.Say(
      fmt::format("wrote {}: {} of JSON", Printable(out), FormatBytes(static_cast<double>(size))));
  return kExitPass;
}

}  // namespace

Result<int> RunScrub(const Options& options, Console& console) {
  const std::string& in = options.arguments[0];
  const std::string& out = options.arguments[1];
  if (!IsDatabase(in)) return ScrubJson(in, out, options, console);
  PROFGAUGE_CHECK(CheckReplacing(out, FileKind::kDatabase, KeptBy(options)));
  PROFGAUGE_TRY(const readers::Scrubbed done, ScrubInto(in, out));
  console.Say(fmt::format("wrote {}: {} tables kept in part, {} left out; {} texts had paths",
                          Printable(out), done.tables_kept, done.tables_left_out,
                          done.texts_changed));
  return kExitPass;
}

}  // namespace profgauge::cli
