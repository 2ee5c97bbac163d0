// The effect of `--redact` on rows that are read from profiles in place.
#pragma once

#include <span>
#include <string>

#include "model/profile.h"
#include "query/relation.h"
#include "report/redaction.h"

namespace profgauge::cli {

/// Puts rows with hidden names in place of those of the run's events and facts. Rows of its report
/// come from a report that hides its names already.
void RedactRows(const report::Redaction& redaction, const std::string& run,
                std::span<const Profile> ranks, query::Dataset& data);

}  // namespace profgauge::cli
