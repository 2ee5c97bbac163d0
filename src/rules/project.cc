#include "rules/project.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "rules/decode.h"
#include "rules/waiver.h"
#include "rules/yaml.h"

namespace profgauge::rules {
namespace {

constexpr Decoder::Word<std::string_view> kParameterTypes[] = {
    {"integer", "integer"}, {"real", "real"}, {"text", "text"}, {"any", "any"}};

void DecodeParameter(Decoder& decoder, const YamlNode& key, const YamlNode& value,
                     std::vector<ProjectQuery::Parameter>& out) {
  ProjectQuery::Parameter parameter{key.text, "any", std::nullopt};
  const bool is_named = key.kind == YamlNode::Kind::kScalar;  // False while the shape is reported.
  if (is_named && !re2::RE2::FullMatch(key.text, "[A-Za-z_][A-Za-z0-9_]{0,39}")) {
    decoder.Add(key, "config/parameter-name",
                fmt::format("`{}` cannot be the name of a parameter: expected letters, digits and "
                            "`_`, like in `:rank` of the statement",
                            PrintableShort(key.text, 50)));
  }
  const Decoder::Key keys[] = {
      {"type",
       [&](const YamlNode& n) {
         if (const auto type = decoder.OneOf<std::string_view>(n, "type", kParameterTypes)) {
           parameter.type = *type;
         }
       }},
      {"default", [&](const YamlNode& n) { parameter.usual = decoder.Text(n, "default"); }},
  };
  decoder.Map(value, "a query parameter", keys);
  out.push_back(std::move(parameter));
}

void DecodeName(Decoder& decoder, const YamlNode& node, const std::vector<ProjectQuery>& others,
                ProjectQuery& query) {
  const auto name = decoder.Text(node, "name");
  if (!name) return;
  query.name = *name;
  query.where = decoder.document().At(node);
  const bool is_taken = std::any_of(others.begin(), others.end(),
                                    [&](const ProjectQuery& other) { return other.name == *name; });
  if (!re2::RE2::FullMatch(*name, "[a-z0-9-]{1,40}")) {
    decoder.Add(node, "config/query-name",
                fmt::format("`{}` cannot be the name of a query: expected at most 40 small "
                            "letters, digits and `-`",
                            PrintableShort(*name, 50)));
  } else if (is_taken) {
    decoder.Add(node, "config/query-twice", fmt::format("two queries are named `{}`", *name));
  }
}

}  // namespace

void DecodeQuery(Decoder& decoder, const YamlNode& node, std::vector<ProjectQuery>& out) {
  ProjectQuery query;
  query.where = decoder.document().At(node);
  const Decoder::Key keys[] = {
      {"name", [&](const YamlNode& n) { DecodeName(decoder, n, out, query); }, true},
      {"title", [&](const YamlNode& n) { Set(query.title, decoder.Text(n, "title")); }},
      {"answers", [&](const YamlNode& n) { Set(query.answers, decoder.Text(n, "answers")); }},
      {"sql", [&](const YamlNode& n) { Set(query.sql, decoder.Source(n, "sql")); }, true},
      {"params",
       [&](const YamlNode& n) {
         decoder.EachEntry(n, "`params`", [&](const YamlNode& key, const YamlNode& value) {
           DecodeParameter(decoder, key, value, query.parameters);
         });
       }},
  };
  decoder.Map(node, "a query", keys);
  out.push_back(std::move(query));
}

namespace {

constexpr Decoder::Word<std::string_view> kMissingWords[] = {
    {"pass", "pass"}, {"warn", "warn"}, {"no_verdict", "no_verdict"}, {"fail", "fail"}};
constexpr Decoder::Word<std::string_view> kRanksWords[] = {
    {"recorded", "recorded"}, {"as-listed", "as-listed"}, {"separate", "separate"}};
constexpr Decoder::Word<Take> kTakeWords[] = {
    {"latest", Take::kLatest}, {"all", Take::kAll}, {"pooled", Take::kPooled}};

using ProjectKeys = std::vector<Decoder::Key>;

// Adds the keys that are valid both at the top and in a job; they only differ in their target.
void AddSettings(Decoder& decoder, ProjectSettings& out, ProjectKeys& keys) {
  const auto text = [&decoder](std::string_view name, std::optional<ProjectText>& target) {
    return Decoder::Key{name, [&decoder, &target, name](const YamlNode& node) {
                          if (auto found = decoder.Text(node, name)) {
                            target = {*std::move(found), decoder.document().At(node)};
                          }
                        }};
  };
  const auto word = [&decoder](std::string_view name, std::optional<ProjectText>& target,
                               std::span<const Decoder::Word<std::string_view>> words) {
    return Decoder::Key{name, [&decoder, &target, name, words](const YamlNode& node) {
                          if (auto found = decoder.OneOf<std::string_view>(node, name, words)) {
                            target = {std::string(*found), decoder.document().At(node)};
                          }
                        }};
  };
  keys.push_back(text("policy", out.policy));
  keys.push_back(text("db", out.db));
  keys.push_back({"baseline", [&](const YamlNode& node) {
                    for (const SourceText& one : decoder.OneOrMore(node, "baseline")) {
                      out.baselines.push_back({one.text, one.All()});
                    }
                  }});
  keys.push_back({"labels", [&](const YamlNode& node) {
                    decoder.EachEntry(
                        node, "`labels`", [&](const YamlNode& key, const YamlNode& value) {
                          const auto name = decoder.Text(key, "label");
                          const auto text = decoder.Text(value, "label");
                          if (!name || !text) return;
                          if (!IsLabelName(*name)) {
                            decoder.Add(key, "config/label",
                                        fmt::format("`{}` cannot be the name of a label: expected "
                                                    "letters, digits and `_`, and neither `run` "
                                                    "nor `state`",
                                                    PrintableShort(*name, 50)));
                          }
                          out.labels.emplace_back(*name, *text);
                        });
                  }});
  keys.push_back(word("baseline_missing", out.baseline_missing, kMissingWords));
  keys.push_back({"learning_until", [&](const YamlNode& node) {
                    auto day = decoder.Text(node, "learning_until");
                    if (!day) return;
                    if (!ParseDay(*day)) {
                      decoder.Add(node, "config/day",
                                  fmt::format("`learning_until`: expected a day such as "
                                              "`2027-03-31`, found `{}`",
                                              PrintableShort(*day, 40)));
                    }
                    out.learning_until = {*std::move(day), decoder.document().At(node)};
                  }});
  keys.push_back(word("ranks", out.ranks, kRanksWords));
}

/// True for a valid job name. Names become part of paths, comments and series.
bool IsJobName(std::string_view name) { return re2::RE2::FullMatch(name, "[a-z0-9-]{1,40}"); }

void DecodeJob(Decoder& decoder, const YamlNode& node, std::vector<ProjectJob>& out) {
  ProjectJob job;
  job.where = decoder.document().At(node);
  ProjectKeys keys = {
      {"name",
       [&](const YamlNode& n) {
         const auto name = decoder.Text(n, "name");
         if (!name) return;
         job.where = decoder.document().At(n);
         const bool is_taken = std::any_of(
             out.begin(), out.end(), [&](const ProjectJob& other) { return other.name == *name; });
         if (!IsJobName(*name)) {
           decoder.Add(n, "config/job-name",
                       fmt::format("`{}` cannot be the name of a job: expected at most 40 small "
                                   "letters, digits and `-`",
                                   PrintableShort(*name, 50)));
         } else if (is_taken) {
           decoder.Add(n, "config/job-twice", fmt::format("two jobs are named `{}`", *name));
         }
         job.name = *name;
       },
       true},
      {"inputs",
       [&](const YamlNode& n) {
         for (const SourceText& one : decoder.OneOrMore(n, "inputs")) {
           job.inputs.push_back({one.text, one.All()});
         }
       },
       true},
      {"take",
       [&](const YamlNode& n) { Set(job.take, decoder.OneOf<Take>(n, "take", kTakeWords)); }},
  };
  AddSettings(decoder, job.own, keys);
  decoder.Map(node, "a job", keys);
  out.push_back(std::move(job));
}

}  // namespace

bool IsLabelName(std::string_view name) {
  return re2::RE2::FullMatch(name, "[A-Za-z][A-Za-z0-9_]{0,62}") && name != "run" &&
         name != "state";
}

const ProjectJob* Project::Find(std::string_view job) const {
  const auto found = std::find_if(jobs.begin(), jobs.end(),
                                  [&](const ProjectJob& one) { return one.name == job; });
  return found == jobs.end() ? nullptr : &*found;
}

void DecodeProject(Decoder& decoder, Project& out) {
  ProjectKeys keys = {{"schema", [&](const YamlNode& n) { decoder.Schema(n); }, true}};
  AddSettings(decoder, out.top, keys);
  keys.push_back({"jobs", [&](const YamlNode& n) {
                    decoder.EachItem(n, "`jobs`", [&](const YamlNode& item) {
                      DecodeJob(decoder, item, out.jobs);
                    });
                  }});
  keys.push_back({"queries", [&](const YamlNode& n) {
                    decoder.EachItem(n, "`queries`", [&](const YamlNode& item) {
                      DecodeQuery(decoder, item, out.queries);
                    });
                  }});
  decoder.Map(decoder.document().root, "a configuration", keys);
}

namespace {

tl::expected<Project, Errors> Decoded(const std::optional<YamlDocument>& document,
                                      const std::string& name, Errors errors) {
  Project project;
  project.file = name;
  if (document) {
    Decoder decoder(*document, errors);
    DecodeProject(decoder, project);
  }
  if (errors.empty()) return project;
  SortByPlace(errors);
  return tl::unexpected<Errors>(std::move(errors));
}

}  // namespace

tl::expected<Project, Errors> LoadProject(const std::string& path) {
  Errors errors;
  const auto document = ReadYaml(path, std::nullopt, errors);
  return Decoded(document, path, std::move(errors));
}

tl::expected<Project, Errors> ParseProject(std::string_view text, const std::string& name) {
  Errors errors;
  const auto document = ParseYaml(text, name, errors);
  return Decoded(document, name, std::move(errors));
}

}  // namespace profgauge::rules
