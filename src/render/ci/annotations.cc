#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/readable.h"
#include "render/ci/ci.h"
#include "render/ci/ci_text.h"
#include "render/shared/escape.h"
#include "render/shared/fingerprint.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

// As GitHub's toolkit escapes: a line end would end the command, and the rest of a kernel's name
// could begin another one.
std::string EscapeData(std::string_view text) {
  std::string out;
  for (const char c : Readable(text)) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else {  // The log is shown by terminals, too.
      out += static_cast<unsigned char>(c) < 0x80 ? Printable({&c, 1}) : std::string(1, c);
    }
  }
  return out;
}

// In a property `:` and `,` would end it.
std::string EscapeProperty(std::string_view text) {
  std::string out;
  for (const char c : EscapeData(text)) {
    if (c == ':') {
      out += "%3A";
    } else if (c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view CommandOf(const Alert& alert) {
  return alert.level == State::kError  ? "error"
         : alert.level == State::kWarn ? "warning"
                                       : "notice";
}

}  // namespace

std::string GithubCommand(std::string_view command, const AlertPlace& place, std::string_view title,
                          std::string_view message) {
  return fmt::format("::{} file={},line={},title={}::{}\n", command, EscapeProperty(place.path),
                     std::max(1U, place.line), EscapeProperty(title), EscapeData(message));
}

std::string RenderGithub(const report::Report& report, const AlertPlaces& places) {
  std::vector<Alert> alerts = CollectAlerts(report);
  if (report.baseline && report.baseline->warns) {
    alerts.insert(alerts.begin(),
                  {"baseline", State::kWarn, "No baseline", BaselineWarning(report), {}});
  }
  const bool is_cut = alerts.size() > kMostAnnotations;
  const std::size_t shown = is_cut ? kMostAnnotations - 1 : alerts.size();
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    out += GithubCommand(CommandOf(alerts[i]), places.Of(alerts[i].id),
                         alerts[i].id + ": " + alerts[i].title, alerts[i].message);
  }
  if (is_cut) {
    out += fmt::format("::{} title=profgauge::{} more in the report\n", CommandOf(alerts[shown]),
                       alerts.size() - shown);
  }
  return out;
}

std::string RenderGitlab(const report::Report& report, const AlertPlaces& places) {
  boost::json::array issues;
  for (const Alert& alert : CollectAlerts(report)) {
    const AlertPlace& place = places.Of(alert.id);
    issues.push_back(boost::json::object{
        {"description", Readable(alert.title + ": " + alert.message)},
        {"check_name", Readable(alert.id)},
        {"fingerprint", Fingerprint(alert.key)},
        {"severity", alert.level == State::kError  ? "major"
                     : alert.level == State::kWarn ? "minor"
                                                   : "info"},
        {"location",
         {{"path", Readable(place.path)}, {"lines", {{"begin", std::max(1U, place.line)}}}}}});
  }
  return boost::json::serialize(issues) + "\n";
}

}  // namespace profgauge::render
