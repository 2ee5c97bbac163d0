// Saved queries: statements with a name, which are compiled in from rules/queries/. The comments at
// their head say what they answer and which parameters they have:
//   -- title: How long does work wait from its launch to its start?
//   -- param: rank = 0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"
#include "query/query.h"

namespace profgauge::query {

struct SavedQuery {
  std::string name;  ///< "launch-delay"
  std::string title, sql;
  Parameters parameters;  ///< With the values that they have unless others are given.
};

/// By name.
std::span<const SavedQuery> SavedQueries();
/// Errors: kUsage "query/no-such-query".
Result<const SavedQuery*> FindSavedQuery(std::string_view name);

/// A statement of a file, whose head may give parameters and their usual values.
SavedQuery ParseQueryFile(std::string name, std::string sql);
/// `given`, and of those that are missing the usual values.
Parameters WithDefaults(const SavedQuery& query, Parameters given);

}  // namespace profgauge::query
