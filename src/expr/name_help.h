// What is said of a name that nobody knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profgauge::expr {

/// "did you mean `kernel.time`?", and names like it that there are. `rows`: what rows are called.
/// May be empty.
std::string HelpForName(const std::string& name, const std::vector<std::string>& names,
                        std::string_view rows);

}  // namespace profgauge::expr
