#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "base/readable.h"
#include "profgauge/version.h"
#include "render/ci/ci_text.h"
#include "render/shared/escape.h"
#include "render/shared/fingerprint.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

std::string LevelOf(const Alert& alert) {
  return alert.level == State::kError ? "error" : alert.level == State::kWarn ? "warning" : "note";
}

/// A path as a URI reference: characters that are not allowed in one are written as %XX.
std::string UriOf(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view("-._~/@+,=").find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

json::object Rule(const Alert& alert) {
  json::object rule{{"id", alert.id},
                    {"shortDescription", {{"text", alert.title}}},
                    {"defaultConfiguration", {{"level", LevelOf(alert)}}}};
  if (!alert.advice.empty()) {
    rule["help"] = {{"text", alert.advice}, {"markdown", alert.advice}};
  }
  return rule;
}

}  // namespace

json::object SarifLocation(const AlertPlace& place) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", UriOf(place.path)}}},
            {"region", {{"startLine", std::max(1U, place.line)}}}}}};
}

// Alerts of one id share a rule, and a result refers to it by index. The fingerprint is that of the
// alert's key, so that code scanning knows an alert again in the next run, whatever its numbers
// are.
std::string RenderSarif(const report::Report& report, const AlertPlaces& places) {
  json::array rules;
  json::array results;
  std::map<std::string, std::int64_t> rule_index;
  for (Alert alert : CollectAlerts(report)) {
    for (std::string* text :
         {&alert.id, &alert.title, &alert.message, &alert.advice, &alert.accepted}) {
      *text = Readable(*text);
    }
    const auto [it, is_new] =
        rule_index.try_emplace(alert.id, static_cast<std::int64_t>(rules.size()));
    if (is_new) rules.push_back(Rule(alert));
    results.push_back(
        json::object{{"ruleId", alert.id},
                     {"ruleIndex", it->second},
                     {"level", LevelOf(alert)},
                     {"message", {{"text", alert.message}}},
                     {"locations", json::array{SarifLocation(places.Of(alert.id))}},
                     {"partialFingerprints", {{"profgauge/v1", Fingerprint(alert.key)}}}});
    if (alert.accepted.empty()) continue;
    results.back().as_object()["suppressions"] = json::array{json::object{
        {"kind", "external"}, {"status", "accepted"}, {"justification", alert.accepted}}};
  }
  json::object run{
      {"tool",
       {{"driver", {{"name", "profgauge"}, {"version", kVersion}, {"rules", std::move(rules)}}}}},
      {"results", std::move(results)}};
  if (report.baseline && report.baseline->warns) {
    json::object notification{{"level", "warning"},
                              {"descriptor", {{"id", "baseline/" + report.baseline->state}}},
                              {"message", {{"text", Readable(BaselineWarning(report))}}}};
    run["invocations"] = json::array{
        json::object{{"executionSuccessful", true},
                     {"toolConfigurationNotifications", json::array{std::move(notification)}}}};
  }
  const json::object document{
      {"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", json::array{std::move(run)}}};
  return json::serialize(document) + "\n";
}

}  // namespace profgauge::render
