// How many errors a run has is one number, wherever it is said.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "profgauge/profgauge.h"
#include "render/ci/ci.h"
#include "render/shared/renderer.h"
#include "report/read_report.h"

namespace profgauge {
namespace {

std::size_t Count(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

void ExpectOneCount(const std::string& example, const std::string& policy) {
  SCOPED_TRACE(example + " under " + policy);
  const auto recording = Load({std::string(PROFGAUGE_SOURCE_DIR) + "/examples/" + example}, {});
  ASSERT_TRUE(recording) << recording.error().message;
  EvaluateOptions options;
  options.policy = policy;
  const auto judged = Evaluate(*recording, options);
  ASSERT_TRUE(judged) << judged.error().front().message;
  const auto text = Render(*judged, Format::kJson);
  ASSERT_TRUE(text);
  const auto report = report::ReadReport(*text, "report.json");
  ASSERT_TRUE(report) << report.error().message;

  const auto errors = static_cast<std::size_t>(report->verdict.errors);
  const auto warnings = static_cast<std::size_t>(report->verdict.warnings);
  const std::string console = render::RenderTerminal(*report, {});
  EXPECT_EQ(Count(console, "\n  error "), errors) << console;
  const std::string junit = render::RenderJunit(*report);
  EXPECT_EQ(Count(junit, "<failure "), errors) << junit;
  render::AlertPlaces places;
  places.otherwise = {"policy.yaml", 1};
  EXPECT_EQ(Count(render::RenderGithub(*report, places), "::error "), errors);
  const std::string sarif = render::RenderSarif(*report, places);
  EXPECT_EQ(Count(sarif, "\"level\":\"error\",\"message\""), errors) << sarif;
  EXPECT_EQ(Count(render::RenderGitlab(*report, places), "\"major\""), errors);
  const std::string metrics = render::RenderOpenMetrics(*report);
  EXPECT_NE(metrics.find("} " + std::to_string(errors) + ".000000000\n# TYPE profgauge_warnings"),
            std::string::npos)
      << metrics.substr(metrics.find("# TYPE profgauge_errors"));
  EXPECT_NE(metrics.find("profgauge_warnings{"), std::string::npos);
  const std::string last = console.substr(console.rfind('\n', console.size() - 2) + 1);
  if (errors > 0) {
    EXPECT_NE(last.find(std::to_string(errors) + (errors == 1 ? " error" : " errors")),
              std::string::npos)
        << last;
  }
  if (warnings > 0) {
    EXPECT_NE(last.find(std::to_string(warnings) + " warning"), std::string::npos) << last;
  }
}

TEST(OneCount, CountsErrorsInEveryOutput) {
  for (const char* example : {"healthy.pt.trace.json.gz", "slow.pt.trace.json.gz", "ddp"}) {
    for (const char* policy : {"builtin:recommended", "builtin:strict"}) {
      ExpectOneCount(example, policy);
    }
  }
}

}  // namespace
}  // namespace profgauge
