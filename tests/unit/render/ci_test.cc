#include "render/ci/ci.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "fixture.h"
#include "render/shared/escape.h"
#include "report/labels.h"

namespace profgauge::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CollectAlerts, ErrorsFirstOnlyFired) {
  const auto alerts = CollectAlerts(testing::SampleReport());
  ASSERT_EQ(alerts.size(), 2u);
  EXPECT_EQ(alerts[0].id, "limit/gpu.idle.mean");
  EXPECT_EQ(alerts[0].message, "gpu.idle.mean is 31.4\u202F%, its limit is ≤ 30 %");
  EXPECT_EQ(alerts[1].id, "dataloader/exposed");
}

// A slower part that only warns is a remark, and an alert at its limit.
TEST(CollectAlerts, SlowerPartsThatWarn) {
  report::Report report = testing::SampleReport();
  report.remarks.push_back({std::string(report::kSlowerPart) + "kernels", "kernel gemm: +50 %"});
  report.remarks.push_back({"other", "kernel other: as before"});
  const auto alerts = CollectAlerts(report);
  ASSERT_EQ(alerts.size(), 3u);
  const auto part = std::ranges::find(alerts, "limit/kernels", &Alert::id);
  ASSERT_NE(part, alerts.end());
  EXPECT_EQ(part->level, report::State::kWarn);
  EXPECT_EQ(part->message, "kernel gemm: +50 %");
}

// Reasons of limits and rules are theirs; the others have no place but the run.
TEST(CollectAlerts, GivesReasonForNoVerdict) {
  report::Report report = testing::SampleReport();
  EXPECT_FALSE(AlertOfRun(report));
  report.verdict.status = report::State::kNoVerdict;
  report.verdict.reasons = {"gpu.idle.mean is 31.4 %", "dataloader/exposed: the GPU waits",
                            "4 of 8 ranks are missing", "3 iterations are too few"};
  report.verdict.errors = 2;
  const std::optional<Alert> run = AlertOfRun(report);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->message, "4 of 8 ranks are missing; 3 iterations are too few");
  EXPECT_EQ(run->level, report::State::kWarn);
  EXPECT_EQ(CollectAlerts(report).size(), 3u);
  const std::string xml = RenderJunit(report);
  EXPECT_THAT(xml,
              HasSubstr("<error message=\"4 of 8 ranks are missing; 3 iterations are too few\" "
                        "type=\"no_verdict\">"));
  EXPECT_THAT(xml, HasSubstr("tests=\"6\" failures=\"2\" errors=\"1\""));
  report.verdict.errors = 3;  // One that is no limit's and no rule's.
  EXPECT_EQ(AlertOfRun(report)->level, report::State::kError);
}

// Slack takes 3 000 characters of one block.
TEST(PlainText, KeepsToItsLimit) {
  report::Report report = testing::SampleReport();
  const std::string longest(1'000, 'x');
  report.profile.name = report.verdict.policy = longest;
  report.plan.emplace();
  report.plan->steps.resize(9);
  for (report::PlanStep& step : report.plan->steps) step.title = longest;
  for (auto& row : report.gate) row.metric = longest;
  const std::string text = RenderText(report);
  EXPECT_GE(std::count(text.begin(), text.end(), '\n'), 7);
  std::istringstream lines(text);
  std::size_t cut = 0;
  for (std::string line; std::getline(lines, line);) {
    cut += line.ends_with("…");
    EXPECT_LE(line.size() + 1, 2'900U / 12) << line;
  }
  EXPECT_GE(cut, 5U);
}

TEST(Junit, CountsEveryLimitAndRule) {
  const std::string xml = RenderJunit(testing::SampleReport());
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"profgauge\" tests=\"5\" failures=\"2\" "
                             "errors=\"0\" skipped=\"2\" time=\"0\">"));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"profgauge.limits\" "
                             "name=\"tensor_core.efficiency ≥ 60 %\" time=\"0\"/>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"needs memory events; record with "
                             "profile_memory=True\"/>"));
}

// Checks the requirements of the JUnit schema of Jenkins' plug-in, element by element.
// Who reads only JUnit must not take an undecided run for a pass.
TEST(Junit, ARunThatDidNotPassIsRed) {
  report::Report report = testing::SampleReport();
  report.findings.clear();
  report.gate.resize(1);
  report.gate[0].status = report::State::kLowConfidence;
  report.verdict.status = report::State::kNoVerdict;
  report.verdict.reasons = {report.gate[0].metric + " is uncertain"};
  EXPECT_THAT(RenderJunit(report), HasSubstr("failures=\"0\" errors=\"1\""));
  report.gate[0].status = report::State::kWarn;  // Under `fail_on: warn`.
  report.verdict.status = report::State::kFail;
  EXPECT_THAT(RenderJunit(report), HasSubstr("failures=\"1\" errors=\"0\""));
  report.verdict.status = report::State::kPass;
  EXPECT_THAT(RenderJunit(report), HasSubstr("failures=\"0\" errors=\"0\""));
}

TEST(Junit, IsWellFormedBySchema) {
  const std::string xml = RenderJunit(testing::HostileReport());
  const std::regex tag(R"(<(/?)([a-zA-Z-]+)((?: [a-z]+="[^"<]*")*)(/?)>)");
  std::vector<std::string> open;
  std::size_t end = xml.find("?>") + 3;
  for (std::sregex_iterator it(xml.begin() + static_cast<std::ptrdiff_t>(end), xml.end(), tag),
       last;
       it != last; ++it) {
    const std::string name = (*it)[2];
    const std::string parent = open.empty() ? "" : open.back();
    if ((*it)[1] == "/") {
      ASSERT_EQ(open.back(), name);
      open.pop_back();
      continue;
    }
    if (name == "testsuites")
      EXPECT_EQ(parent, "");
    else if (name == "testsuite")
      EXPECT_EQ(parent, "testsuites");
    else if (name == "testcase")
      EXPECT_EQ(parent, "testsuite");
    else
      EXPECT_EQ(parent, "testcase") << name;
    EXPECT_THAT(name, ::testing::AnyOf("testsuites", "testsuite", "testcase", "failure", "error",
                                       "skipped", "system-out"));
    if ((*it)[4] != "/") open.push_back(name);
  }
  EXPECT_TRUE(open.empty());
  const std::string text = std::regex_replace(xml.substr(end), tag, "");
  EXPECT_THAT(text, Not(HasSubstr("<"))) << "markup that is no tag of ours";
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
  EXPECT_EQ(ValidUtf8(xml), xml);
}

// The parts of the SARIF 2.1.0 schema that code scanning relies on.
TEST(Sarif, HasRequiredFields) {
  const auto document =
      boost::json::parse(RenderSarif(testing::HostileReport(), {{"policy.yaml", 7}, {}}))
          .as_object();
  EXPECT_EQ(document.at("version").as_string(), "2.1.0");
  const auto& run = document.at("runs").as_array().at(0).as_object();
  const auto& driver = run.at("tool").at("driver").as_object();
  EXPECT_EQ(driver.at("name").as_string(), "profgauge");
  const auto& rules = driver.at("rules").as_array();
  std::set<std::string> fingerprints;
  ASSERT_EQ(run.at("results").as_array().size(), 2 + testing::HostileNames().size());
  for (const auto& value : run.at("results").as_array()) {
    const auto& result = value.as_object();
    const auto index = static_cast<std::size_t>(result.at("ruleIndex").as_int64());
    ASSERT_LT(index, rules.size());
    EXPECT_EQ(rules[index].at("id"), result.at("ruleId"));
    EXPECT_FALSE(result.at("message").at("text").as_string().empty());
    EXPECT_THAT(std::string(result.at("level").as_string()),
                ::testing::AnyOf("error", "warning", "note"));
    const auto& place = result.at("locations").as_array().at(0).at("physicalLocation");
    EXPECT_EQ(place.at("artifactLocation").at("uri").as_string(), "policy.yaml");
    EXPECT_GE(place.at("region").at("startLine").as_int64(), 1);
    const auto& prints = result.at("partialFingerprints").as_object();
    fingerprints.insert(std::string(prints.at("profgauge/v1").as_string()));
  }
  EXPECT_EQ(fingerprints.size(), 2 + testing::HostileNames().size());
}

TEST(Sarif, FingerprintsDoNotDependOnNumbers) {
  report::Report slower = testing::SampleReport();
  slower.gate[0].measured = testing::Q(0.9, Unit::kShare);
  const auto print = [](const report::Report& report) {
    return boost::json::parse(RenderSarif(report, {{"p", 7}, {}}))
        .at("runs")
        .at(0)
        .at("results")
        .at(0)
        .at("partialFingerprints");
  };
  EXPECT_EQ(print(slower), print(testing::SampleReport()));
}

TEST(Github, EscapesAndStopsAtTen) {
  report::Report report = testing::SampleReport();
  EXPECT_EQ(RenderGithub(report, {{"policy.yaml", 7}, {}}),
            "::error file=policy.yaml,line=7,title=limit/gpu.idle.mean%3A GPU idle::gpu.idle.mean "
            "is 31.4\u202F%25, its limit "
            "is ≤ 30 %25\n"
            "::error file=policy.yaml,line=7,title=dataloader/exposed%3A The data loader holds up "
            "the GPU::12.0 %25 of an "
            "iteration waits for data, limit 10 %25\n");
  std::istringstream lines(RenderGithub(testing::HostileReport(), {{"policy.yaml", 7}, {}}));
  std::string line;
  int count = 0;
  for (; std::getline(lines, line); ++count) {
    EXPECT_THAT(line, ::testing::MatchesRegex(
                          "::(error|warning) (file=policy.yaml,line=7,)?title=[^:,]*::.*"));
  }
  EXPECT_EQ(count, 10);
  EXPECT_THAT(RenderGithub(testing::HostileReport(), {{"policy.yaml", 7}, {}}),
              HasSubstr("2 more in the report"));
}

TEST(Gitlab, HasRequiredFields) {
  const auto issues =
      boost::json::parse(RenderGitlab(testing::HostileReport(), {{"policy.yaml", 7}, {}}))
          .as_array();
  ASSERT_EQ(issues.size(), 2 + testing::HostileNames().size());
  for (const auto& issue : issues) {
    EXPECT_FALSE(issue.at("description").as_string().empty());
    EXPECT_FALSE(issue.at("check_name").as_string().empty());
    EXPECT_EQ(issue.at("fingerprint").as_string().size(), 16u);
    EXPECT_THAT(std::string(issue.at("severity").as_string()),
                ::testing::AnyOf("info", "minor", "major", "critical", "blocker"));
    EXPECT_EQ(issue.at("location").at("path").as_string(), "policy.yaml");
    EXPECT_EQ(issue.at("location").at("lines").at("begin").as_int64(), 7);
  }
}

// GitLab lists one issue for each fingerprint.
TEST(Gitlab, TwoLimitsOnAMetricAreTwoIssues) {
  report::Report report = testing::SampleReport();
  report::GateRow row;
  row.metric = "gpu.idle.mean";
  row.status = State::kError;
  report.gate = {row, row, row};
  report.gate[1].change.text = "+8 %";
  std::set<std::string> fingerprints;
  for (const Alert& alert : CollectAlerts(report)) fingerprints.insert(alert.key);
  EXPECT_TRUE(fingerprints.contains("limit/gpu.idle.mean"));
  EXPECT_TRUE(fingerprints.contains("limit/gpu.idle.mean/change"));
  EXPECT_TRUE(fingerprints.contains("limit/gpu.idle.mean#2"));
  EXPECT_EQ(fingerprints.size(), CollectAlerts(report).size());
}

// Every line must be of the OpenMetrics text grammar, and families must not repeat.
TEST(OpenMetrics, FollowsTheGrammar) {
  report::Report report = testing::SampleReport();
  report.profile.name = testing::HostileNames()[6] + "\n\\";
  const std::string text = RenderOpenMetrics(report);
  EXPECT_THAT(text, ::testing::EndsWith("# EOF\n"));
  EXPECT_THAT(text, HasSubstr("# UNIT profgauge_gpu_idle_mean_ratio ratio\n"));
  EXPECT_THAT(text, HasSubstr("profgauge_iteration_time_mean_seconds{run="));
  EXPECT_THAT(text, HasSubstr("} 0.010000000\n"));
  const std::regex grammar(
      R"((# (TYPE|UNIT|HELP) [a-z_:][a-z0-9_:]*( .*)?|# EOF|[a-z_][a-z0-9_]*\{run="([^"\\]|\\.)*"(,state="[a-z_]+")?\} -?[0-9]+\.[0-9]{9}))");
  std::istringstream lines(text);
  std::set<std::string> families;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(std::regex_match(line, grammar)) << line;
    if (line.starts_with("# TYPE")) {
      EXPECT_TRUE(families.insert(line).second) << line;
    }
  }
}

TEST(CiOutputs, AreTheSameBytesTwice) {
  const report::Report report = testing::HostileReport();
  EXPECT_EQ(RenderJunit(report), RenderJunit(report));
  EXPECT_EQ(RenderSarif(report, {{"p", 7}, {}}), RenderSarif(report, {{"p", 7}, {}}));
  EXPECT_EQ(RenderGitlab(report, {{"p", 7}, {}}), RenderGitlab(report, {{"p", 7}, {}}));
  EXPECT_EQ(RenderOpenMetrics(report), RenderOpenMetrics(report));
}

TEST(Ci, EndingsSayWhatIsMissing) {
  Ending ending;
  ending.name = "run";
  for (int i = 0; i < 15; ++i) {
    ending.errors.push_back(
        {"policy/unknown-metric", fmt::format("m{}", i), "", {"p.yaml", 3}, {}});
  }
  const std::string github = RenderGithub(ending), text = RenderText(ending);
  EXPECT_EQ(std::ranges::count(github, '\n'), 10);
  EXPECT_THAT(github, HasSubstr("\n::error title=profgauge::6 more errors in the log\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 12);
  EXPECT_THAT(text, HasSubstr("m9 [policy/unknown-metric]\nand 5 more lines\n"));
  ending.errors.resize(10);
  EXPECT_EQ(std::ranges::count(RenderGithub(ending), '\n'), 10);
  EXPECT_THAT(RenderText(ending), Not(HasSubstr("more")));
}

}  // namespace
}  // namespace profgauge::render
