// Names that a profile wrote are text in every renderer of parts, whatever they look like.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "documents.h"
#include "fixture.h"
#include "render/ci/ci.h"
#include "render/shared/renderer.h"
#include "unzip.h"

namespace profgauge::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile[] = {
    "x</script><img src=x onerror=alert(1)>",
    "=cmd()",
    "@user [link](http://a) *bold*",
    "`tick` ``two``",
    "a|b",
    "::error file=x::y",
    "\x1b[31mred",
    "\xe2\x80\xae"
    "abc",  // right-to-left override
    "{{x}} {{{y}}}",
};

/// One finding whose message has the name as text, as code and beside a number.
report::Report ReportOf(const std::string& name) {
  report::Report report = testing::SampleReport();
  report::Finding finding;
  finding.rule = finding.key = "test/hostile";
  finding.level = finding.status = report::State::kWarn;
  finding.title = "Hostile";
  finding.message = "runs " + name + " as `" + name + "` for 3 ms";
  finding.advice = "- See `" + name + "`.\n";
  finding.message_parts = {{TextPart::Kind::kText, "runs " + name + " as ", {}, Unit::kText, ""},
                           {TextPart::Kind::kCode, name, {}, Unit::kText, ""},
                           {TextPart::Kind::kText, " for ", {}, Unit::kText, ""},
                           {TextPart::Kind::kNumber, "3 ms", 3e6, Unit::kTime, ""}};
  finding.advice_parts = {{{TextPart::Kind::kText, "See ", {}, Unit::kText, ""},
                           {TextPart::Kind::kCode, name, {}, Unit::kText, ""},
                           {TextPart::Kind::kText, ".", {}, Unit::kText, ""}}};
  report.findings.push_back(finding);
  return report;
}

TEST(Parts, AreTextOnThePage) {
  for (const std::string name : kHostile) {
    const std::string page = testing::Page(ReportOf(name));
    EXPECT_THAT(page, Not(HasSubstr("<img src=x"))) << name;
    EXPECT_THAT(page, HasSubstr("Hostile")) << name;
  }
  EXPECT_THAT(testing::Page(ReportOf("=cmd()")), HasSubstr("<code>=cmd()</code>"));
  EXPECT_THAT(testing::Page(ReportOf("{{x}} {{{y}}}")), HasSubstr("<code>{{x}} {{{y}}}</code>"));
}

TEST(Parts, AreTextInMarkdown) {
  const auto document = [](const std::string& name) { return RenderMarkdown(ReportOf(name)); };
  EXPECT_THAT(document(kHostile[0]), HasSubstr("runs x&lt;/script&gt;&lt;img src=x"));
  EXPECT_THAT(document("`tick` ``two``"), HasSubstr("as ``` `tick` ``two`` ``` for 3 ms"));
  const std::string user = document("@user [link](http://a) *bold*");
  EXPECT_THAT(user, Not(HasSubstr("runs @user [link](http://a) *bold*")));
  EXPECT_THAT(user, HasSubstr("`@user [link](http://a) *bold*`"));
}

TEST(Parts, AreTheNamesThemselvesInJson) {
  for (const std::string name : kHostile) {
    const auto json = boost::json::parse(RenderJson(ReportOf(name)));
    bool found = false;
    for (const auto& finding : json.at("findings").as_array()) {
      if (finding.at("rule") != "test/hostile") continue;
      found = true;
      const auto& parts = finding.at("message_parts").as_array();
      ASSERT_EQ(parts.size(), 4u);
      EXPECT_EQ(parts[1].at("kind"), "code");
      EXPECT_EQ(parts[1].at("text").as_string(), name);
      EXPECT_EQ(parts[3].at("kind"), "number");
      EXPECT_EQ(finding.at("advice_parts").at(0).at(1).at("text").as_string(), name);
    }
    EXPECT_TRUE(found);
  }
}

// Of cells, numbers and our own words alone.
TEST(Parts, AreNoFormulasInTheWorkbook) {
  const RE2 ours(
      R"re((?:(?:SUM|SUBTOTAL|COUNTIFS|SUMPRODUCT|MAX)\(+|'[A-Za-z -]+'!|\$[A-Z]+\$\d+|[\d.]+|"(?:open|error|fixed)"|[-,:/)=*])*)re");
  for (const std::string name : kHostile) {
    const auto book = RenderXlsx(ReportOf(name));
    ASSERT_TRUE(book) << name;
    for (const auto& [file, text] : testing::Unzip(*book)) {
      std::string formula;
      for (re2::StringPiece at = text; RE2::FindAndConsume(&at, "<f>([^<]*)</f>", &formula);) {
        RE2::GlobalReplace(&formula, "&quot;", "\"");
        EXPECT_TRUE(RE2::FullMatch(formula, ours)) << file << ": " << formula;
      }
      EXPECT_THAT(text, Not(HasSubstr("<img"))) << file << name;
    }
  }
}

TEST(Parts, TextOnTerminalAndInComments) {
  for (const std::string name : kHostile) {
    const std::string text = RenderTerminal(ReportOf(name), {});
    EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << name;
    EXPECT_THAT(text, HasSubstr("test/hostile")) << name;
    // A workflow command begins its line.
    EXPECT_THAT(RenderGithub(ReportOf(name), {}), Not(HasSubstr("\n::error file=x"))) << name;
    boost::json::parse(RenderSarif(ReportOf(name), {}));
    boost::json::parse(RenderGitlab(ReportOf(name), {}));
  }
}

}  // namespace
}  // namespace profgauge::render
