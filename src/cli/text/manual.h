// Manual pages in mdoc(7), made from the tables of commands and options and from the shapes of
// policies and rules.
#pragma once

#include <string>
#include <vector>

namespace profgauge::cli {

struct ManualPage {
  std::string name;  ///< "profgauge-baseline-save.1", as the file is called.
  std::string text;
};

/// profgauge.1, one page a command, profgauge-policy.5 and profgauge-rules.5.
std::vector<ManualPage> ManualPages();

}  // namespace profgauge::cli
