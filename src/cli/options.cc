#include "cli/options.h"

#include "cli/option_tables.h"

namespace profgauge::cli {

std::span<const OptionSpec> AllOptions() {
  static const std::vector<OptionSpec> options = [] {
    std::vector<OptionSpec> all;
    for (const auto table : {OutputOptions(), JudgingOptions(), SelectionOptions()}) {
      all.insert(all.end(), table.begin(), table.end());
    }
    return all;
  }();
  return options;
}

std::vector<std::string_view> ChoicesOf(const OptionSpec& option) {
  std::string_view text = option.choices;
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    words.push_back(text.substr(0, blank));
    text = blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
  }
  return words;
}

}  // namespace profgauge::cli
