// `queries` of profgauge.yaml: statements with a name, for `profgauge query PROFILE @NAME`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "profgauge/error.h"
#include "rules/errors.h"
#include "rules/yaml.h"

namespace profgauge::rules {

class Decoder;

struct ProjectQuery {
  struct Parameter {
    std::string name;
    std::string type;                  ///< "integer", "real", "text" or "any".
    std::optional<std::string> usual;  ///< Its value unless another is given.
  };

  std::string name;
  std::string title;    ///< The question, in one line; may be empty.
  std::string answers;  ///< The meaning of the answer; may be empty.
  SourceText sql;       ///< Checked by whoever has a database: `rules check`, `query`.
  std::vector<Parameter> parameters;
  Where where;
};

void DecodeQuery(Decoder& decoder, const YamlNode& node, std::vector<ProjectQuery>& out);

// profgauge.yaml: the jobs of a repository, their policies and baselines. Found from the working
// folder upwards, so that a forgotten option does not select another policy.
//
// Keys of a job have precedence over the same keys at the top. Paths are relative to the file.

class Decoder;

/// Whether it can name a label of a metric: OpenMetrics' letters, and no reserved name.
bool IsLabelName(std::string_view name);

/// A text of the file, and its location.
struct ProjectText {
  std::string text;
  Where where;
};

/// Keys that may be at the top and in a job.
struct ProjectSettings {
  std::optional<ProjectText> policy;            ///< A path or "builtin:NAME".
  std::optional<ProjectText> db;                ///< A path.
  std::vector<ProjectText> baselines;           ///< Paths or "history:BRANCH~N".
  std::optional<ProjectText> baseline_missing;  ///< "pass", "warn", "no_verdict" or "fail".
  std::optional<ProjectText> learning_until;    ///< A day: until then a history may be empty.
  std::optional<ProjectText> ranks;             ///< "recorded", "as-listed" or "separate".
  std::vector<std::pair<std::string, std::string>> labels;  ///< For metrics: "team", "vision".
};

enum class Take : std::uint8_t {
  kLatest,
  kAll,     ///< Each by itself.
  kPooled,  ///< All together: profiles of one commit.
};

struct ProjectJob {
  std::string name;  ///< In outputs, comments and series of a history.
  std::vector<ProjectText> inputs;
  Take take = Take::kLatest;  ///< Which of the runs that `inputs` match.
  ProjectSettings own;
  Where where;
};

struct Project {
  std::string file;  ///< As it was named or found.
  ProjectSettings top;
  std::vector<ProjectJob> jobs;
  std::vector<ProjectQuery> queries;  ///< For `query PROFILE @NAME`.

  const ProjectJob* Find(std::string_view job) const;
};

/// Errors: all those of the file. Files that it names are not checked.
tl::expected<Project, Errors> LoadProject(const std::string& path);
/// The same of a text; `name` is used in messages, and its folder for files that it names.
tl::expected<Project, Errors> ParseProject(std::string_view text, const std::string& name);

void DecodeProject(Decoder& decoder, Project& out);

}  // namespace profgauge::rules
