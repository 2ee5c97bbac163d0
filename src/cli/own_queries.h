// Saved queries of profgauge.yaml beside those that are compiled in.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "profgauge/error.h"
#include "query/saved.h"
#include "rules/errors.h"
#include "rules/project.h"

namespace profgauge::cli {

/// Those of the configuration.
std::vector<query::SavedQuery> OwnQueries(const Project& project);

/// The queries of the configuration, then the built-in ones with other names. Errors: the first of
/// the configuration.
Result<std::vector<query::SavedQuery>> SavedQueriesOf(const Options& options);

/// Prepares each statement against the schema, without a profile. Errors are at their place in the
/// file.
Errors CheckQueries(const std::vector<query::SavedQuery>& queries);

/// Whether the file is a configuration: by its name, or by keys that only configurations have.
bool IsConfiguration(const std::string& path);

}  // namespace profgauge::cli
