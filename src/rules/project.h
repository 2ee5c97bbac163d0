// profgauge.yaml: the jobs of a repository, and `queries` for `profgauge query PROFILE @NAME`.
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
    std::optional<std::string> usual;  ///< Default value; absent: required.
  };

  std::string name;
  std::string title;    ///< The question, in one line; may be empty.
  std::string answers;  ///< Meaning of the result; may be empty.
  SourceText sql;       ///< Checked by commands with a database: `rules check`, `query`.
  std::vector<Parameter> parameters;
  Where where;
};

void DecodeQuery(Decoder& decoder, const YamlNode& node, std::vector<ProjectQuery>& out);

// profgauge.yaml: the jobs of a repository with their policies and baselines. It is searched from
// the working folder upwards, so that a forgotten option does not select another policy.
//
// Keys of a job have priority over the same keys at the top. Paths are relative to the file.

class Decoder;

/// True if `name` is valid as a metric's label: in OpenMetrics' letters, and not reserved.
bool IsLabelName(std::string_view name);

/// A text of the file with its location.
struct ProjectText {
  std::string text;
  Where where;
};

/// The keys that are valid at the top and in a job.
struct ProjectSettings {
  std::optional<ProjectText> policy;            ///< A path or "builtin:NAME".
  std::optional<ProjectText> db;                ///< A path.
  std::vector<ProjectText> baselines;           ///< Paths or "history:BRANCH~N".
  std::optional<ProjectText> baseline_missing;  ///< "pass", "warn", "no_verdict" or "fail".
  std::optional<ProjectText> learning_until;    ///< A day; until then a history may be empty.
  std::optional<ProjectText> ranks;             ///< "recorded", "as-listed" or "separate".
  std::vector<std::pair<std::string, std::string>> labels;  ///< Name and value: "team", "vision".
};

enum class Take : std::uint8_t {
  kLatest,
  kAll,     ///< Each run by itself.
  kPooled,  ///< All runs together: profiles of one commit.
};

struct ProjectJob {
  std::string name;  ///< Used in outputs, comments and histories.
  std::vector<ProjectText> inputs;
  Take take = Take::kLatest;  ///< Which of the runs that match `inputs`.
  ProjectSettings own;
  Where where;
};

struct Project {
  std::string file;  ///< Its path, as the user named it or as found.
  ProjectSettings top;
  std::vector<ProjectJob> jobs;
  std::vector<ProjectQuery> queries;  ///< For `query PROFILE @NAME`.

  const ProjectJob* Find(std::string_view job) const;
};

/// Loads the file. Reports all errors in it. Files that it names are not checked.
tl::expected<Project, Errors> LoadProject(const std::string& path);
/// Parses the file from text. Messages use `name`; its folder is that of files that it names.
tl::expected<Project, Errors> ParseProject(std::string_view text, const std::string& name);

void DecodeProject(Decoder& decoder, Project& out);

}  // namespace profgauge::rules
