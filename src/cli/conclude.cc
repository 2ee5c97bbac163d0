#include "cli/conclude.h"

#include <string>

#include "cli/console.h"
#include "cli/draw.h"
#include "render/shared/render_runs.h"
#include "render/shared/renderer.h"

namespace profgauge::cli {

namespace {

render::TerminalOptions TerminalOf(const Drawing& drawing, const Console& console) {
  render::TerminalOptions terminal;
  terminal.width = console.width();
  terminal.verbosity = console.verbosity();
  terminal.color = drawing.uses_stdout() ? console.color_err() : console.color_out();
  terminal.fold_names =
      drawing.uses_stdout() ? console.err_is_terminal() : console.out_is_terminal();
  return terminal;
}

void Say(const std::string& text, const Drawing& drawing, Console& console) {
  if (drawing.uses_stdout()) {
    console.Warn(text);
  } else {
    console.Print(text);
  }
  for (const std::string& line : drawing.Summary()) console.Say(line);
}

}  // namespace

void Conclude(const report::Report& report, const Drawing& drawing, Console& console) {
  Say(render::RenderTerminal(report, TerminalOf(drawing, console)), drawing, console);
}

void Conclude(const report::Runs& runs, const Drawing& drawing, Console& console) {
  Say(render::RenderRunsTerminal(runs, TerminalOf(drawing, console)), drawing, console);
}

}  // namespace profgauge::cli
