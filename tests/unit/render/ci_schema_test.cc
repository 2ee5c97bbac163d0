// The outputs for CI systems, each against its schema (tests/schemas), with names that try to break
// out of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "comparison_fixture.h"
#include "fixture.h"
#include "render/ci/ci.h"
#include "render/shared/ending.h"
#include "schema_check.h"

namespace profgauge::render {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

report::Report HostileInEveryStatus() {
  report::Report report = testing::HostileReport();
  report.profile.name = "run \"7\"\n\\ </testsuite>";
  using enum report::State;
  for (const report::State status : {kError, kMissing, kNotApplicable, kLowConfidence, kWaived}) {
    report::GateRow row = report.gate.front();
    row.metric = "test." + std::string(report::NameOf(status));
    row.status = status;
    row.change = testing::Q(0.1, Unit::kShare);
    report.gate.push_back(row);
  }
  return report;
}

/// Two errors, with a name and texts that try to break out.
Ending HostileEnding(bool is_configuration) {
  Ending ending;
  ending.name = "run \"7\"\n\\ </testsuite>";
  ending.exit_code = is_configuration ? 2 : 3;
  ending.is_configuration = is_configuration;
  for (const std::string& name : testing::HostileNames()) {
    ending.errors.push_back(
        {"input/missing", name, name, {"a b/" + name, 0}, {"help: " + name, "note: x"}});
  }
  return ending;
}

std::string FileOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

std::string SchemaPath(const std::string& name) {
  return std::string(PROFGAUGE_SOURCE_DIR) + "/tests/schemas/" + name;
}

std::vector<std::string> Problems(const std::string& schema, const std::string& document) {
  const auto parsed = boost::json::parse(FileOf(SchemaPath(schema)));
  return testing::SchemaCheck(parsed.as_object()).Problems(boost::json::parse(document));
}

TEST(SchemaCheck, FindsErrors) {
  EXPECT_THAT(Problems("codequality.json", "[{\"check_name\": \"\"}]"), Not(IsEmpty()));
  EXPECT_THAT(Problems("sarif.json", "{\"version\": \"2.0\", \"runs\": []}"), Not(IsEmpty()));
  EXPECT_THAT(
      Problems("sarif.json",
               "{\"version\": \"2.1.0\", \"runs\": [{\"tool\": {\"driver\": {\"name\": 1}}}]}"),
      ::testing::ElementsAre("$.runs[0].tool.driver.name: is no string"));
}

TEST(CiSchema, Sarif) {
  for (const report::Report& report :
       {HostileInEveryStatus(), report::Report(), testing::SampleReport()}) {
    EXPECT_THAT(Problems("sarif.json", RenderSarif(report, {{"policy.yaml", 7}, {}})), IsEmpty());
  }
}

TEST(CiSchema, SarifOfARunWithoutReport) {
  for (const bool is_configuration : {false, true}) {
    const std::string text = RenderSarif(HostileEnding(is_configuration));
    EXPECT_THAT(Problems("sarif.json", text), IsEmpty());
    const auto document = boost::json::parse(text);
    const auto& run = document.at("runs").at(0);
    EXPECT_TRUE(run.at("results").as_array().empty());
    const auto& invocation = run.at("invocations").at(0);
    EXPECT_FALSE(invocation.at("executionSuccessful").as_bool());
    EXPECT_EQ(invocation.at("exitCode"), is_configuration ? 2 : 3);
    const auto& notifications = invocation.at(is_configuration ? "toolConfigurationNotifications"
                                                               : "toolExecutionNotifications");
    EXPECT_EQ(notifications.as_array().size(), testing::HostileNames().size());
    EXPECT_EQ(notifications.at(0).at("descriptor").at("id"), "input/missing");
  }
}

TEST(CiSchema, GitlabCodeQualityWithoutReport) {
  const std::string text = RenderGitlab(HostileEnding(true));
  EXPECT_THAT(Problems("codequality.json", text), IsEmpty());
  EXPECT_EQ(boost::json::parse(text).at(0).at("severity"), "blocker");
}

TEST(CiSchema, GitlabCodeQuality) {
  for (const report::Report& report :
       {HostileInEveryStatus(), report::Report(), testing::SampleReport()}) {
    EXPECT_THAT(Problems("codequality.json", RenderGitlab(report, {{"policy.yaml", 7}, {}})),
                IsEmpty());
  }
}

// xmllint of libxml2-utils reads the XSD.
TEST(CiSchema, Junit) {
  if (std::system("command -v xmllint > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "needs libxml2-utils";
  }
  const std::string path = ::testing::TempDir() + "junit_" + std::to_string(::getpid()) + ".xml";
  for (const report::Report& report :
       {HostileInEveryStatus(), report::Report(), testing::SampleReport()}) {
    std::ofstream(path) << RenderJunit(report);
    const std::string command =
        "xmllint --noout --schema '" + SchemaPath("junit.xsd") + "' '" + path + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << FileOf(path);
  }
  std::ofstream(path) << RenderJunit(HostileEnding(false));
  const std::string command =
      "xmllint --noout --schema '" + SchemaPath("junit.xsd") + "' '" + path + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << FileOf(path);
  std::remove(path.c_str());
}

// One line of an exposition taken apart.
class OpenMetricsText {
 public:
  /// The first error in `text` by the OpenMetrics 1.0 text format; empty if there is none.
  static std::string Problem(const std::string& text) {
    if (!text.ends_with("# EOF\n")) return "does not end with # EOF";
    OpenMetricsText state;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::string problem = state.ended_ ? "a line behind # EOF" : state.Line(line);
      if (!problem.empty()) return problem + ": " + line;
    }
    return {};
  }

 private:
  static bool IsName(std::string_view name) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
    return std::all_of(name.begin(), name.end(),
                       [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':'; });
  }

  std::string Line(const std::string& line) {
    if (line == "# EOF") {
      ended_ = true;
      return {};
    }
    return line.starts_with("# ") ? Metadata(line.substr(2)) : Sample(line);
  }

  // TYPE, UNIT and HELP are before the samples of their family, each once; families do not mix.
  std::string Metadata(const std::string& line) {
    const auto first = line.find(' ');
    const auto second = line.find(' ', first + 1);
    if (first == std::string::npos) return "no metadata";
    const std::string kind = line.substr(0, first);
    const std::string name = line.substr(first + 1, second - first - 1);
    const std::string rest = second == std::string::npos ? "" : line.substr(second + 1);
    if (!IsName(name)) return "no name";
    if (name != family_ && !families_.insert(name).second) return "a family in two pieces";
    if (name != family_) kinds_.clear();
    if (name == family_ && has_samples_) return "metadata behind samples";
    family_ = name;
    has_samples_ = false;
    if (!kinds_.insert(kind).second) return "metadata twice";
    if (kind == "TYPE") return rest == "gauge" ? "" : "an unknown type";
    if (kind == "UNIT") return name.ends_with("_" + rest) ? "" : "a name without its unit";
    return kind == "HELP" ? "" : "unknown metadata";
  }

  std::string Sample(const std::string& line) {
    const auto brace = line.find('{');
    const std::string name = line.substr(0, std::min(brace, line.find(' ')));
    if (name != family_) return "a sample outside its family";
    std::size_t at = name.size();
    if (at < line.size() && line[at] == '{') {
      const std::string problem = Labels(line, at);
      if (!problem.empty()) return problem;
    }
    if (at >= line.size() || line[at] != ' ') return "no space before the value";
    const std::string value = line.substr(at + 1);
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size()) return "no number";
    has_samples_ = true;
    return {};
  }

  static std::string Labels(const std::string& line, std::size_t& at) {
    ++at;
    while (at < line.size() && line[at] != '}') {
      const auto equals = line.find("=\"", at);
      if (equals == std::string::npos || !IsName(line.substr(at, equals - at))) return "no label";
      at = equals + 2;
      while (at < line.size() && line[at] != '"') {
        if (line[at] == '\\' && (at + 1 >= line.size() || std::string_view("\\\"n").find(
                                                              line[at + 1]) == std::string::npos)) {
          return "an unknown escape";
        }
        at += line[at] == '\\' ? 2 : 1;
      }
      if (at >= line.size()) return "an open label";
      ++at;
      if (at < line.size() && line[at] == ',') ++at;
    }
    ++at;
    return {};
  }

  std::string family_;
  std::set<std::string> families_, kinds_;
  bool has_samples_ = false, ended_ = false;
};

TEST(OpenMetricsText, FindsErrors) {
  for (const char* text :
       {"a 1\n", "# TYPE a gauge\nb 1\n# EOF\n", "# TYPE a gauge\na x\n# EOF\n",
        "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\na 2\n# EOF\n",
        "# TYPE a_s gauge\n# UNIT a_s bytes\na_s 1\n# EOF\n", "# TYPE a gauge\na{x=\"1} 2\n# EOF\n",
        "# TYPE a gauge\na 1\n# EOF\na 2\n# EOF\n"}) {
    EXPECT_NE(OpenMetricsText::Problem(text), "") << text;
  }
  EXPECT_EQ(OpenMetricsText::Problem("# TYPE a gauge\na{x=\"\\\"\"} 1.5\n# EOF\n"), "");
}

TEST(CiSchema, OpenMetrics) {
  for (const report::Report& report :
       {HostileInEveryStatus(), report::Report(), testing::SampleReport()}) {
    EXPECT_EQ(OpenMetricsText::Problem(RenderOpenMetrics(report)), "");
  }
  const std::string text = RenderOpenMetrics(HostileEnding(false));
  EXPECT_EQ(OpenMetricsText::Problem(text), "");
  EXPECT_THAT(text, ::testing::HasSubstr("state=\"no_verdict\"} 1\n"));
}

}  // namespace
}  // namespace profgauge::render
