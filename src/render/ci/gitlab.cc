#include <algorithm>
#include <boost/json.hpp>

#include "render/ci/ci.h"
#include "render/shared/escape.h"
#include "render/shared/fingerprint.h"

namespace profgauge::render {

std::string RenderGitlab(const report::Report& report, const AlertPlaces& places) {
  boost::json::array issues;
  for (const Alert& alert : CollectAlerts(report)) {
    const AlertPlace& place = places.Of(alert.id);
    issues.push_back(boost::json::object{
        {"description", ValidUtf8(alert.title + ": " + alert.message)},
        {"check_name", ValidUtf8(alert.id)},
        {"fingerprint", Fingerprint(alert.id)},
        {"severity", alert.level == State::kError  ? "major"
                     : alert.level == State::kWarn ? "minor"
                                                   : "info"},
        {"location",
         {{"path", ValidUtf8(place.path)}, {"lines", {{"begin", std::max(1U, place.line)}}}}}});
  }
  return boost::json::serialize(issues) + "\n";
}

}  // namespace profgauge::render
