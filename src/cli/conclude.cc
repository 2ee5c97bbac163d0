#include "cli/conclude.h"

#include <string>

#include "cli/console.h"
#include "cli/draw.h"
#include "render/shared/renderer.h"

namespace profgauge::cli {

void Conclude(const report::Report& report, const Drawing& drawing, Console& console) {
  for (const std::string& line : drawing.Summary()) console.Say(line);
  render::TerminalOptions terminal;
  terminal.width = console.width();
  terminal.verbosity = console.verbosity();
  terminal.color = drawing.uses_stdout() ? console.color_err() : console.color_out();
  terminal.fold_names =
      drawing.uses_stdout() ? console.err_is_terminal() : console.out_is_terminal();
  const std::string text = render::RenderTerminal(report, terminal);
  if (drawing.uses_stdout()) {
    console.Warn(text);
  } else {
    console.Print(text);
  }
}

}  // namespace profgauge::cli
