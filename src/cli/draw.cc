#include "cli/draw.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/errors.h"
#include "base/parallel.h"
#include "cli/ci_system.h"
#include "render/ci/ci.h"
#include "render/shared/columns.h"
#include "render/shared/renderer.h"
#include "render/shared/runs_table.h"
#include "render/trace/chrome_trace.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

/// The largest comment on a pull request that people still read.
constexpr std::size_t kCommentBytes = 20'000;

/// The most that GitHub takes of one step; a larger summary is refused whole.
constexpr std::size_t kStepSummaryBytes = std::size_t{1} << 20;

/// An output of one file.
Result<std::vector<render::File>> Single(Result<std::string> bytes) {
  if (!bytes) return Fail(std::move(bytes).error());
  return std::vector<render::File>{{"", *std::move(bytes)}};
}

}  // namespace

std::vector<Drawing::Wanted> Drawing::WantedBy(const Options& options) {
  std::vector<Wanted> wanted;
  if (!options.out_dir.empty()) {
    const std::pair<Kind, std::string_view> files[] = {{Kind::kHtml, "html"},
                                                       {Kind::kMarkdown, "md"},
                                                       {Kind::kXlsx, "xlsx"},
                                                       {Kind::kJson, "json"}};
    const std::string_view stem = options.runs.empty() ? "report" : "runs";
    for (const auto& [kind, suffix] : files) {
      wanted.emplace_back(
          kind, (fs::path(options.out_dir) / fmt::format("{}.{}", stem, suffix)).string());
    }
  }
  const std::pair<Kind, const std::string&> singles[] = {
      {Kind::kHtml, options.html},
      {Kind::kMarkdown, options.markdown},
      {Kind::kSummary, options.summary},
      {Kind::kText, options.text},
      {Kind::kXlsx, options.xlsx},
      {Kind::kJson, options.json},
      {Kind::kJunit, options.junit},
      {Kind::kSarif, options.sarif},
      {Kind::kGithub, options.github},
      {Kind::kGitlab, options.gitlab},
      {Kind::kOpenMetrics, options.openmetrics},
      {Kind::kTrace, options.emit_trace},
      {Kind::kHtmlFolder, options.html_dir},
      {Kind::kVerdict, options.verdict_file},
      {Kind::kRunSummary, options.pgsum},
      {Kind::kDotenv, options.dotenv},
      {Kind::kGithubOutput, options.github_output}};
  for (const auto& [kind, path] : singles) {
    if (!path.empty()) wanted.emplace_back(kind, path);
  }
  return wanted;
}

Status Drawing::Open(const Options& options) {
  options_ = options;
  if (!options.out_dir.empty()) PROFGAUGE_CHECK(outputs_.MakeDirectory(options.out_dir));
  for (const auto& [kind, path] : WantedBy(options)) PROFGAUGE_CHECK(Add(kind, path));
  if (options.step_summary) PROFGAUGE_CHECK(AddStepSummary());
  return {};
}

void Drawing::OpenThose(const Options& options) {
  options_ = options;
  if (!options.out_dir.empty()) (void)outputs_.MakeDirectory(options.out_dir);
  for (const auto& [kind, path] : WantedBy(options)) (void)Add(kind, path);
  if (options.step_summary) (void)AddStepSummary();
}

FileKind Drawing::FileKindOf(Kind kind) {
  switch (kind) {
    case Kind::kHtml:
    case Kind::kHtmlFolder:
      return FileKind::kHtml;
    case Kind::kMarkdown:
    case Kind::kSummary:
    case Kind::kStepSummary:
      return FileKind::kMarkdown;
    case Kind::kText:
      return FileKind::kText;
    case Kind::kXlsx:
      return FileKind::kXlsx;
    case Kind::kJunit:
      return FileKind::kJunit;
    case Kind::kSarif:
      return FileKind::kSarif;
    case Kind::kGithub:
      return FileKind::kGithub;
    case Kind::kGitlab:
      return FileKind::kGitlab;
    case Kind::kOpenMetrics:
      return FileKind::kOpenMetrics;
    case Kind::kTrace:
      return FileKind::kTrace;
    case Kind::kVerdict:
      return FileKind::kVerdict;
    case Kind::kRunSummary:
      return FileKind::kSummary;
    case Kind::kDotenv:
      return FileKind::kDotenv;
    case Kind::kGithubOutput:  // Appended to.
    case Kind::kJson:
      break;
  }
  return FileKind::kJson;
}

bool Drawing::HasTimeline(Kind kind) {
  return kind == Kind::kHtml || kind == Kind::kHtmlFolder || kind == Kind::kTrace;
}

Status Drawing::Add(Kind kind, const std::string& path) {
  if (kind == Kind::kHtmlFolder) return AddHtmlFolder(path);
  PROFGAUGE_TRY(const std::size_t output, kind == Kind::kGithubOutput
                                              ? outputs_.OpenToAppend(path)
                                              : outputs_.Open(path, FileKindOf(kind)));
  items_.push_back({kind, path, {{"", output}}});
  return {};
}

Status Drawing::AddHtmlFolder(const std::string& folder) {
  PROFGAUGE_CHECK(outputs_.MakeDirectory(folder));
  Item item{Kind::kHtmlFolder, folder, {}};
  for (const std::string name : {"index.html", "report.css", "report.js"}) {
    PROFGAUGE_TRY(const std::size_t output,
                  outputs_.Open((fs::path(folder) / name).string(),
                                name == "index.html" ? FileKind::kHtml : FileKind::kAsset));
    item.outputs.emplace_back(name, output);
  }
  items_.push_back(std::move(item));
  return {};
}

Status Drawing::AddStepSummary() {
  const char* path = std::getenv("GITHUB_STEP_SUMMARY");
  if (path == nullptr || *path == '\0') {
    return Fail(UsageError("usage/no-step-summary",
                           "`--step-summary` needs the file that $GITHUB_STEP_SUMMARY names",
                           "GitHub Actions sets it; elsewhere use --md-summary FILE"));
  }
  PROFGAUGE_TRY(const std::size_t output, outputs_.OpenToAppend(path));
  items_.push_back({Kind::kStepSummary, path, {{"", output}}});
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  const std::uintmax_t taken = error ? 0 : std::min<std::uintmax_t>(size, kStepSummaryBytes);
  step_summary_room_ = kStepSummaryBytes - static_cast<std::size_t>(taken);
  return {};
}

render::AlertPlaces Drawing::PlacesFor(const report::Report& report) const {
  if (places_) return *places_;
  const std::string& itself =
      options_.arguments.empty() ? report.profile.name : options_.arguments.back();
  return PlacesOf(options_, report.verdict.policy, itself);
}

Result<std::vector<render::File>> Drawing::DrawOne(const Item& item,
                                                   const report::Report& report) const {
  render::MarkdownOptions markdown;
  switch (item.kind) {
    case Kind::kHtml:
      return Single(render::RenderHtml(report));
    case Kind::kHtmlFolder:
      return render::RenderHtmlFiles(report);
    case Kind::kMarkdown:
      return Single(render::RenderMarkdown(report, markdown));
    case Kind::kSummary:
      markdown.full = false;
      markdown.max_bytes = kCommentBytes;
      return Single(render::RenderMarkdown(report, markdown));
    case Kind::kStepSummary: {
      markdown.full = false;
      markdown.max_bytes = std::min(kCommentBytes, step_summary_room_);
      std::string text = render::RenderMarkdown(report, markdown);
      if (text.size() > step_summary_room_) return Single(std::string());
      return Single(std::move(text));
    }
    case Kind::kText:
      return Single(render::RenderText(report));
    case Kind::kXlsx:
      return Single(render::RenderXlsx(report));
    case Kind::kJunit:
      return Single(render::RenderJunit(report));
    case Kind::kSarif:
      return Single(render::RenderSarif(report, PlacesFor(report)));
    case Kind::kGithub:
      return Single(render::RenderGithub(report, PlacesFor(report)));
    case Kind::kGitlab:
      return Single(render::RenderGitlab(report, PlacesFor(report)));
    case Kind::kOpenMetrics:
      return Single(render::RenderOpenMetrics(report, options_.labels));
    case Kind::kVerdict:
    case Kind::kDotenv:
    case Kind::kGithubOutput:
      return DrawFacts(item, render::FactsOf(report, exit_code_));
    case Kind::kRunSummary:
      return Single(summarize_());
    case Kind::kTrace: {
      std::string trace = render::RenderChromeTrace(report);
      return Single(item.path.ends_with(".gz") ? render::Gzip(trace) : std::move(trace));
    }
    case Kind::kJson:
      break;
  }
  return Single(render::RenderJson(report));
}

Result<std::vector<render::File>> Drawing::DrawFacts(const Item& item,
                                                     render::VerdictFacts facts) const {
  if (!options_.redact) facts.model = options_.model;
  const auto page = std::find_if(items_.begin(), items_.end(),
                                 [](const Item& other) { return other.kind == Kind::kHtml; });
  if (page != items_.end() && page->path != "-") {
    const fs::path from = item.kind == Kind::kVerdict ? fs::path(item.path).parent_path() : ".";
    facts.report = fs::path(page->path).lexically_proximate(from).generic_string();
  }
  if (item.kind == Kind::kDotenv) return Single(render::RenderDotenv(facts));
  if (item.kind == Kind::kGithubOutput) return Single(render::RenderGithubOutput(facts));
  return Single(render::RenderVerdict(facts));
}

Result<std::vector<render::File>> Drawing::DrawOne(const Item& item,
                                                   const report::Runs& runs) const {
  render::MarkdownOptions markdown;
  switch (item.kind) {
    case Kind::kHtml:
      return Single(render::RenderRunsHtml(runs));
    case Kind::kHtmlFolder:
      return render::RenderRunsHtmlFiles(runs);
    case Kind::kMarkdown:
      return Single(render::RenderRunsMarkdown(runs, markdown));
    case Kind::kXlsx:
      return Single(render::RenderRunsXlsx(runs));
    case Kind::kSummary:
    case Kind::kStepSummary: {
      const bool is_file = item.kind == Kind::kSummary;
      markdown.full = false;
      markdown.max_bytes = is_file ? kCommentBytes : std::min(kCommentBytes, step_summary_room_);
      std::string text = render::RenderRunsMarkdown(runs, markdown);
      const bool has_room = is_file || text.size() <= step_summary_room_;
      return Single(has_room ? std::move(text) : std::string());
    }
    default:
      return Single(render::RenderRunsJson(runs));
  }
}

Result<std::vector<render::File>> Drawing::DrawOne(const Item& item,
                                                   const render::Ending& ending) const {
  switch (item.kind) {
    case Kind::kHtml:
      return Single(render::RenderHtml(ending));
    case Kind::kHtmlFolder:
      return render::RenderHtmlFiles(ending);
    case Kind::kMarkdown:
      return Single(render::RenderMarkdown(ending));
    case Kind::kSummary:
      return Single(render::RenderMarkdown(ending, kCommentBytes));
    case Kind::kStepSummary: {
      std::string text =
          render::RenderMarkdown(ending, std::min(kCommentBytes, step_summary_room_));
      return Single(text.size() > step_summary_room_ ? std::string() : std::move(text));
    }
    case Kind::kText:
      return Single(render::RenderText(ending));
    case Kind::kXlsx:
      return Single(render::RenderXlsx(ending));
    case Kind::kJunit:
      return Single(render::RenderJunit(ending));
    case Kind::kSarif:
      return Single(render::RenderSarif(ending));
    case Kind::kGithub:
      return Single(render::RenderGithub(ending));
    case Kind::kGitlab:
      return Single(render::RenderGitlab(ending));
    case Kind::kOpenMetrics:
      return Single(render::RenderOpenMetrics(ending, options_.labels));
    case Kind::kVerdict:
    case Kind::kDotenv:
    case Kind::kGithubOutput:
      return DrawFacts(item, render::FactsOf(ending));
    case Kind::kTrace:  // Draw() removes a trace without events.
    case Kind::kRunSummary:
    case Kind::kJson:
      break;
  }
  return Single(render::RenderJson(ending));
}

Status Drawing::Draw(const render::Ending& ending) {
  Status first;
  for (Item& item : items_) {
    if (item.kind == Kind::kTrace || item.kind == Kind::kRunSummary) {
      outputs_.RemoveEarlier(item.outputs.front().second);
      continue;
    }
    const auto files = DrawOne(item, ending);
    const Status done = files ? Commit(item, *files) : Status(Fail(files.error()));
    if (!done && first) first = done;
  }
  return first;
}

Status Drawing::Commit(Item& item, const std::vector<render::File>& files) {
  for (const render::File& file : files) {
    const auto output = std::find_if(item.outputs.begin(), item.outputs.end(),
                                     [&](const auto& named) { return named.first == file.name; });
    if (output == item.outputs.end()) {
      return Fail(Error{ErrorKind::kInternal,
                        "internal/unexpected-file",
                        fmt::format("no output was opened for `{}`", file.name),
                        {},
                        {}});
    }
    PROFGAUGE_CHECK(outputs_.Commit(output->second, file.bytes));
  }
  item.written = true;
  return {};
}

Status Drawing::Draw(const report::Report& report, Stats& stats) {
  return DrawAll([&](const Item& item) { return DrawOne(item, report); }, stats);
}

Status Drawing::Draw(report::Report& report,
                     const std::function<void(report::Report&)>& add_timeline, Stats& stats) {
  std::once_flag added;
  return DrawAll(
      [&](const Item& item) {
        if (add_timeline && HasTimeline(item.kind)) {
          std::call_once(added, [&] { add_timeline(report); });
        }
        return DrawOne(item, report);
      },
      stats);
}

Status Drawing::Draw(const report::Runs& runs, Stats& stats) {
  return DrawAll([&](const Item& item) { return DrawOne(item, runs); }, stats);
}

void Drawing::RemoveUnsummarized() {
  if (summarize_) return;
  std::erase_if(items_, [this](const Item& item) {
    if (item.kind == Kind::kRunSummary) outputs_.RemoveEarlier(item.outputs.front().second);
    return item.kind == Kind::kRunSummary;
  });
}

Status Drawing::DrawAll(const DrawsOne& draw_one, Stats& stats) {
  RemoveUnsummarized();
  std::vector<Result<std::vector<render::File>>> drawn(items_.size());
  std::vector<std::size_t> order(items_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The workbook takes longest: begun last, it would be waited for.
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return items_[i].kind == Kind::kXlsx; });
  ForEachAtOnce(order.size(), [&](std::size_t i) { drawn[order[i]] = draw_one(items_[order[i]]); });
  stats.EndPhase("draw");
  std::optional<Error> first;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    const auto files = std::move(drawn[i]);
    const Status done = files ? Commit(item, *files) : Status(Fail(files.error()));
    if (!done && !first) first = done.error();
    stats.EndPhase(fmt::format("write {}", fs::path(item.path).filename().string()));
  }
  if (first) return Fail(*std::move(first));
  return {};
}

std::vector<std::string> Drawing::Summary() const {
  std::vector<std::string> lines;
  for (const Item& item : items_) {
    if (!item.written || item.path == "-") continue;
    lines.push_back("wrote " + item.path);
  }
  return lines;
}

Status LeaveEnding(const Options& options, const render::Ending& ending) {
  // Without the policy, the inputs are not all known: a file of others stays, --force or not.
  KeptFiles kept = KeptBy(options);
  kept.force = false;
  Drawing drawing(std::move(kept));
  drawing.OpenThose(options);
  return drawing.Draw(ending);
}

}  // namespace profgauge::cli
