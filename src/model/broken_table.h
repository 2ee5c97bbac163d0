// The error of a profile that is not as model/tables.h says.
#pragma once

#include <string_view>

#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge {

/// kInternal, "model/invariant": a defect of a reader or of ProfileBuilder, not of the file.
/// `table`: "host", "api" and so on.
Error BrokenTable(const Profile& profile, std::string_view table);

}  // namespace profgauge
