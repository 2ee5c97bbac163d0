#include "cli/own_queries.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "cli/configuration.h"
#include "rules/yaml.h"

namespace profgauge::cli {
namespace {

query::ParameterType TypeOf(const std::string& word) {
  if (word == "integer") return query::ParameterType::kInteger;
  if (word == "real") return query::ParameterType::kReal;
  return word == "text" ? query::ParameterType::kText : query::ParameterType::kAny;
}

query::SavedQuery MakeQuery(const ProjectQuery& own) {
  query::SavedQuery query;
  query.name = own.name;
  query.title = own.title.empty() ? own.answers : own.title;
  query.sql = own.sql.text;
  query.source = own.sql;
  for (const ProjectQuery::Parameter& one : own.parameters) {
    query::Parameter parameter{one.name, one.usual.value_or(""), TypeOf(one.type)};
    (one.usual ? query.parameters : query.required).push_back(std::move(parameter));
  }
  return query;
}

}  // namespace

std::vector<query::SavedQuery> OwnQueries(const Project& project) {
  std::vector<query::SavedQuery> own;
  for (const ProjectQuery& one : project.queries) own.push_back(MakeQuery(one));
  return own;
}

Result<std::vector<query::SavedQuery>> SavedQueriesOf(const Options& options) {
  auto project = LoadConfiguration(options);
  if (!project) return Fail(project.error().front());
  std::vector<query::SavedQuery> all;
  if (*project) all = OwnQueries(**project);
  const std::size_t count = all.size();
  for (const query::SavedQuery& built_in : query::SavedQueries()) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
    const bool is_replaced = std::any_of(
        all.begin(), end, [&](const query::SavedQuery& one) { return one.name == built_in.name; });
    if (!is_replaced) all.push_back(built_in);
  }
  return all;
}

Errors CheckQueries(const std::vector<query::SavedQuery>& queries) {
  Errors errors;
  const query::Dataset nothing;
  for (const query::SavedQuery& query : queries) {
    query::Parameters parameters = query::WithDefaults(query, {});
    for (query::Parameter one : query.required) {
      one.value = one.type == query::ParameterType::kText ? "" : "0";
      parameters.push_back(std::move(one));
    }
    const auto prepared = query::Query::Prepare(query.sql, query.name, parameters, nothing);
    if (!prepared) errors.push_back(query::InSource(prepared.error(), query));
  }
  return errors;
}

bool IsConfiguration(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (name == "profgauge.yaml" || name == ".profgauge.yaml") return true;
  Errors ignored;
  const std::optional<YamlDocument> document = ReadYaml(path, std::nullopt, ignored);
  return document &&
         (document->root.Find("queries") != nullptr || document->root.Find("jobs") != nullptr);
}

}  // namespace profgauge::cli
