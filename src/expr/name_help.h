// Help for a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profgauge::expr {

/// "did you mean `kernel.time`?", and similar names that exist. `rows`: the name of the rows.
/// May be empty.
std::string HelpForName(const std::string& name, const std::vector<std::string>& names,
                        std::string_view rows);

}  // namespace profgauge::expr
