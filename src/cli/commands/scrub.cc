// `profgauge scrub`: a copy of an Nsight Systems export that is fit to attach to a ticket.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/kept_files.h"
#include "readers/nsight_systems/scrub.h"

namespace profgauge::cli {

namespace {

namespace fs = std::filesystem;

// ScrubExport writes over nothing; what may be replaced goes when the copy is complete.
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

}  // namespace

Result<int> RunScrub(const Options& options, Console& console) {
  const std::string& in = options.arguments[0];
  const std::string& out = options.arguments[1];
  PROFGAUGE_CHECK(CheckReplacing(out, FileKind::kDatabase, KeptBy(options)));
  PROFGAUGE_TRY(const readers::Scrubbed done, ScrubInto(in, out));
  console.Say(fmt::format("wrote {}: {} tables kept in part, {} left out; {} texts had paths",
                          Printable(out), done.tables_kept, done.tables_left_out,
                          done.texts_changed));
  return kExitPass;
}

}  // namespace profgauge::cli
