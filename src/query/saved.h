// Saved queries: statements with a name. Some are compiled in from rules/queries/, where the
// comments at their head give the question and the parameters:
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
  Parameters parameters;            ///< With the values that they have unless others are given.
  std::vector<Parameter> required;  ///< Those without a usual value.
  Parameters units;                 ///< Units of computed columns, as tables for people show them.
  /// The location of `sql`, if it is in a file that people write.
  std::optional<SourceText> source;
};

/// Those that are compiled in, by name.
std::span<const SavedQuery> SavedQueries();
/// Errors: kUsage "query/no-such-query".
Result<const SavedQuery*> FindSavedQuery(std::span<const SavedQuery> among, std::string_view name);

/// Makes them the rows of the table `queries`.
void FillQueries(std::span<const SavedQuery> queries, Dataset& data);

/// A statement of a file, whose head may give parameters and their usual values. The head ends at
/// the first line that is no comment. Never fails: lines of another form are only comments.
SavedQuery ParseQueryFile(std::string name, std::string sql);
/// `given` with the types that the query declares, and of those that are missing the usual values.
Parameters WithDefaults(const SavedQuery& query, Parameters given);

/// The error with the location of the mistake in the file of the query.
Error InSource(Error error, const SavedQuery& query);

}  // namespace profgauge::query
