// report.json, schema 1; report/describe.h describes its sections. verdict.json, and the file in
// place of report.json if a run ended without a report.

#include "base/json_writer.h"
#include "profgauge/version.h"
#include "render/shared/ending.h"
#include "render/shared/renderer.h"
#include "render/shared/runs_table.h"
#include "report/describe.h"
#include "report/read_report.h"

namespace profgauge::render {
std::string RenderJson(const report::Report& report) {
  JsonWriter out;
  report::Write(out, report);
  return out.Take();
}

std::string RenderRunsJson(const report::Runs& runs) {
  JsonWriter out;
  out.BeginObject();
  out.Field("schema", runs.runs.front().schema);
  out.Field("tool", runs.runs.front().tool);
  out.Key("runs");
  out.BeginArray();
  for (const report::Report& run : runs.runs) report::Write(out, run);
  out.EndArray();
  out.Key("comparisons");
  out.BeginArray();
  for (const report::Runs::Pair& pair : runs.pairs) report::Write(out, pair.report);
  out.EndArray();
  out.EndObject();
  return out.Take();
}

// verdict.json, and the file in place of report.json if a run ended without a report.

namespace {

void WriteTexts(JsonWriter& out, std::string_view key, const std::vector<std::string>& texts) {
  out.Key(key);
  out.BeginArray();
  for (const std::string& text : texts) out.Text(text);
  out.EndArray();
}

void WriteJobs(JsonWriter& out, const std::vector<VerdictFacts::Job>& jobs) {
  out.Key("jobs");
  out.BeginArray();
  for (const VerdictFacts::Job& job : jobs) {
    out.BeginObject();
    out.Field("name", job.name);
    out.Field("status", job.status);
    out.Field("exit_code", std::int64_t{job.exit_code});
    out.OptionalField("report", job.report);
    out.EndObject();
  }
  out.EndArray();
}

}  // namespace

// Schema 2 has neither `profile` nor `metrics`, so that programs that only know schema 1 do not
// read this file as a report without findings.
std::string RenderJson(const Ending& ending) {
  JsonWriter out;
  out.BeginObject();
  out.Field("schema", std::int64_t{report::kEndingSchema});
  out.Field("tool", std::string("profgauge ") + kVersion);
  out.Field("name", ending.name);
  out.Key("verdict");
  out.BeginObject();
  out.Field("status", report::NameOf(StateOf(ending)));
  out.Field("exit_code", std::int64_t{ending.exit_code});
  out.EndObject();
  out.Key("errors");
  out.BeginArray();
  for (const EndingError& error : ending.errors) {
    out.BeginObject();
    out.Field("code", error.code);
    out.Field("message", error.message);
    out.OptionalField("where", error.where);
    WriteTexts(out, "notes", error.notes);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return out.Take();
}

std::string RenderVerdict(const VerdictFacts& facts) {
  VerdictFacts own = facts;  // Descriptions also read, so it is mutable.
  JsonWriter out;
  report::Io io(out);
  out.BeginObject();
  out.Field("schema", std::int64_t{1});
  out.Field("kind", "profgauge.verdict");
  out.Field("status", facts.status);
  out.Field("exit_code", std::int64_t{facts.exit_code});
  out.Field("name", facts.name);
  out.OptionalField("model", facts.model);
  if (!facts.policy.empty()) {
    out.Key("policy");
    out.BeginObject();
    out.Field("name", facts.policy);
    out.OptionalField("hash", facts.policy_hash);
    report::DescribeLoosened(io, own.loosened);
    out.EndObject();
  }
  out.OptionalField("config", facts.config);
  WriteTexts(out, "reasons", facts.reasons);
  if (facts.recordings > 0) out.Field("recordings", facts.recordings);
  if (facts.needed > 0) out.Field("needed", facts.needed);
  if (!facts.no_verdict.empty() || facts.again) out.Key("again"), out.Bool(facts.again);
  if (!facts.no_verdict.empty()) report::DescribeNoVerdict(io, own.no_verdict);
  out.Key("baseline");
  out.BeginObject();
  out.Field("state", facts.baseline.state);
  out.Field("runs", facts.baseline.runs);
  out.Field("wanted", facts.baseline.wanted);
  out.EndObject();
  if (!facts.accepted.empty()) report::DescribeAccepted(io, own.accepted);
  WriteTexts(out, "errors", facts.errors);
  out.OptionalField("report", facts.report);
  out.OptionalField("link", facts.link);
  if (!facts.jobs.empty()) WriteJobs(out, facts.jobs);
  out.EndObject();
  return out.Take();
}

}  // namespace profgauge::render
