// `profgauge scrub`: a copy of an Nsight Systems export that is fit to attach to a ticket.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "readers/nsight_systems/scrub.h"

namespace profgauge::cli {

Result<int> RunScrub(const Options& options, Console& console) {
  const std::string& in = options.arguments[0];
  const std::string& out = options.arguments[1];
  PROFGAUGE_TRY(const readers::Scrubbed done, readers::ScrubExport(in, out));
  console.Say(fmt::format("wrote {}: {} tables kept in part, {} left out; {} texts had paths",
                          Printable(out), done.tables_kept, done.tables_left_out,
                          done.texts_changed));
  return kExitPass;
}

}  // namespace profgauge::cli
