// Saved queries: statements with a name. Some are compiled in from rules/queries/; comments at the
// start of these files state the title and the parameters:
//   -- title: How long does work wait from its launch to its start?
//   -- param: rank = 0
//   -- unit: p50 = us
// Others are in profgauge.yaml.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "profgauge/error.h"
#include "query/query.h"

namespace profgauge::query {

struct SavedQuery {
  std::string name;  ///< "launch-delay"
  std::string title, sql;
  Parameters parameters;            ///< With their default values.
  std::vector<Parameter> required;  ///< Parameters without a default value.
  Parameters units;                 ///< Units of computed columns, for display.
  /// The place of `sql`, if it is in a user's file.
  std::optional<SourceText> source;
};

/// The compiled-in queries, by name.
std::span<const SavedQuery> SavedQueries();
/// Finds a query by name. Errors: kUsage "query/no-such-query".
Result<const SavedQuery*> FindSavedQuery(std::span<const SavedQuery> among, std::string_view name);

/// Adds the queries as rows of the table `queries`.
void FillQueries(std::span<const SavedQuery> queries, Dataset& data);

/// Parses a statement's file, whose head may state parameters and their defaults. The head ends at
/// the first line that is not a comment. Never fails: lines in other forms are only comments.
SavedQuery ParseQueryFile(std::string name, std::string sql);
/// Sets the types of `given` as the query declares them, and adds defaults of missing parameters.
Parameters WithDefaults(const SavedQuery& query, Parameters given);

/// The error with the place of the mistake in the query's file.
Error InSource(Error error, const SavedQuery& query);

}  // namespace profgauge::query
