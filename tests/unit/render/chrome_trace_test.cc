// The trace for Perfetto: valid JSON, every event at its exact time, nesting threads.
#include "render/trace/chrome_trace.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <map>

#include "timeline_fixture.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

TEST(ChromeTrace, HasEveryEventOfTheTimeline) {
  report::Report report;
  report.profile.name = "</script>\xff";
  report.timeline = testing::TimelineMaker::Make(2, 3);
  const json::value trace = json::parse(RenderChromeTrace(report));
  std::map<std::string, std::size_t> phases;
  Ns first = 0;
  for (const json::value& event : trace.at("traceEvents").as_array()) {
    const std::string phase(event.at("ph").as_string());
    if (++phases[phase] == 1 && phase == "X") {
      first = static_cast<Ns>(event.at("ts").to_number<double>() * 1000 + 0.5);
    }
  }
  EXPECT_EQ(phases["X"], report.timeline.start.size());
  EXPECT_EQ(first, report.timeline.start.front());
  EXPECT_GT(phases["s"], 0u);
  EXPECT_EQ(phases["s"], phases["f"]);
  EXPECT_GT(phases["M"], 0u);
}

TEST(ChromeTrace, LeavesOutTheCriticalPath) {
  report::Report report;
  report::Timeline& timeline = report.timeline;
  timeline.kinds = {{"a", Category::kCpu, ""}, {"k", Category::kOtherKernel, ""}};
  timeline.tracks = {{"waits for", "Critical path", report::TrackType::kPath, 0},
                     {"thread 1", "Host", report::TrackType::kThread, 0},
                     {"stream 7", "GPU 0", report::TrackType::kStream, 0}};
  timeline.lanes = {{0, 0, 0, 1}, {1, 0, 1, 2}, {2, 0, 2, 3}};
  timeline.start = {0, 0, 500};
  timeline.duration = {500, 400, 100};
  timeline.kind = {0, 0, 1};
  timeline.link = {2, report::Timeline::kNoLink, 1};
  const std::string text = RenderChromeTrace(report);
  std::size_t events = 0, flows = 0;
  const json::value trace = json::parse(text);
  for (const json::value& event : trace.at("traceEvents").as_array()) {
    events += event.at("ph").as_string() == "X";
    flows += event.at("ph").as_string() == "s";
  }
  EXPECT_EQ(events, 2u);
  EXPECT_EQ(flows, 1u);
  EXPECT_EQ(text.find("Critical path"), std::string::npos);
}

// Two events of one track that overlap without nesting: Perfetto would drop one on one thread.
TEST(ChromeTrace, SpreadsOverlappingEvents) {
  report::Report report;
  report::Timeline& timeline = report.timeline;
  timeline.kinds = {{"a", Category::kCpu, ""}};
  timeline.tracks = {{"thread 1", "Host", report::TrackType::kThread, 0}};
  timeline.lanes = {{0, 0, 0, 1}, {0, 1, 1, 2}, {0, 2, 2, 3}};
  timeline.start = {0, 500, 600};
  timeline.duration = {1000, 1001, 200};
  timeline.kind = {0, 0, 0};
  timeline.link.assign(3, report::Timeline::kNoLink);
  const json::value trace = json::parse(RenderChromeTrace(report));
  std::vector<std::int64_t> threads;
  for (const json::value& event : trace.at("traceEvents").as_array()) {
    if (event.at("ph").as_string() == "X") threads.push_back(event.at("tid").as_int64());
  }
  EXPECT_EQ(threads, (std::vector<std::int64_t>{1, 2, 2}));
  EXPECT_NE(RenderChromeTrace(report).find("\"dur\":1.001"), std::string::npos);
}

}  // namespace
}  // namespace profgauge::render
