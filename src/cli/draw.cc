#include "cli/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/errors.h"
#include "base/parallel.h"
#include "cli/ci_system.h"
#include "cli/configuration.h"
#include "cli/console.h"
#include "cli/row_facts.h"
#include "render/ci/ci.h"
#include "render/json/row.h"
#include "render/shared/columns.h"
#include "render/shared/renderer.h"
#include "render/shared/runs_table.h"
#include "render/trace/chrome_trace.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

/// The largest comment on a pull request that people read.
constexpr std::size_t kCommentBytes = 4'000;

/// GitHub's size limit for one step. It rejects a larger summary as a whole.
constexpr std::size_t kStepSummaryBytes = std::size_t{1} << 20;

bool ShowsTimeline(OutputKind kind) {
  return kind == OutputKind::kHtml || kind == OutputKind::kHtmlFolder || kind == OutputKind::kTrace;
}

/// Wraps the bytes of an output that is a single file.
Result<std::vector<render::File>> Single(Result<std::string> bytes) {
  if (!bytes) return Fail(std::move(bytes).error());
  return std::vector<render::File>{{"", *std::move(bytes)}};
}

}  // namespace

std::vector<Drawing::Wanted> Drawing::WantedBy(const Options& options) {
  std::vector<Wanted> wanted;
  const std::string_view stem = options.runs.empty() ? "report" : "runs";
  for (const OutputSpec& output : AllOutputs()) {
    if (options.out_dir.empty() || output.suffix.empty()) continue;
    const fs::path file = fs::path(options.out_dir) / fmt::format("{}.{}", stem, output.suffix);
    wanted.push_back({output.kind, file.string(), true});
  }
  for (const OutputSpec& output : AllOutputs()) {
    if (!options.outputs.Has(output.kind)) continue;
    const bool is_ours = std::ranges::count(options.ci_outputs, output.kind) > 0;
    wanted.push_back({output.kind, options.outputs[output.kind], is_ours});
  }
  return wanted;
}

Status Drawing::Open(const Options& options) {
  options_ = options;
  PROFGAUGE_CHECK(CheckDefault(options, "--out", options.out_dir));
  if (!options.out_dir.empty()) PROFGAUGE_CHECK(outputs_.MakeDirectory(options.out_dir));
  for (const Wanted& wanted : WantedBy(options)) PROFGAUGE_CHECK(Add(wanted));
  return {};
}

void Drawing::OpenThose(const Options& options) {
  options_ = options;
  if (!CheckDefault(options, "--out", options.out_dir)) return;
  if (!options.out_dir.empty()) (void)outputs_.MakeDirectory(options.out_dir);
  for (const Wanted& wanted : WantedBy(options)) (void)Add(wanted);
}

Status Drawing::Add(const Wanted& wanted) {
  const auto& [kind, path, is_ours] = wanted;
  const std::string& top = options_.out_top.empty() ? options_.out_dir : options_.out_top;
  outputs_.KeepWithin(is_ours ? top : std::string());
  if (kind == OutputKind::kHtmlFolder) return AddHtmlFolder(path);
  if (kind == OutputKind::kStepSummary) return AddStepSummary();
  const OutputSpec& spec = SpecOf(kind);
  PROFGAUGE_TRY(const std::size_t output,
                spec.is_appended ? outputs_.OpenToAppend(path) : outputs_.Open(path, spec.file));
  items_.push_back({kind, path, {{"", output}}});
  return {};
}

Status Drawing::AddHtmlFolder(const std::string& folder) {
  PROFGAUGE_CHECK(outputs_.MakeDirectory(folder));
  Item item{OutputKind::kHtmlFolder, folder, {}};
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
                           "`--write step-summary` needs the file that $GITHUB_STEP_SUMMARY names",
                           "GitHub Actions sets it; elsewhere use --write summary=FILE"));
  }
  PROFGAUGE_TRY(const std::size_t output, outputs_.OpenToAppend(path));
  items_.push_back({OutputKind::kStepSummary, path, {{"", output}}});
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

std::string Drawing::PagePath() const {
  const auto page = std::ranges::find(items_, OutputKind::kHtml, &Item::kind);
  return page == items_.end() || page->path == "-" ? std::string() : page->path;
}

std::string Drawing::Link() const {
  return options_.redact ? std::string() : LinkOfReport(Variable, PagePath());
}

namespace {}  // namespace

Result<std::vector<render::File>> Drawing::DrawOne(const Item& item,
                                                   const report::Report& report) const {
  switch (item.kind) {
    case OutputKind::kHtml:
      return Single(render::RenderHtml(report));
    case OutputKind::kHtmlFolder:
      return render::RenderHtmlFiles(report);
    case OutputKind::kMarkdown:
      return Single(render::RenderMarkdown(report));
    case OutputKind::kSummary:
      return Single(render::RenderSummary(report, Link()));
    case OutputKind::kStepSummary: {
      std::string text = render::RenderSummary(report, Link());
      return Single(text.size() > step_summary_room_ ? std::string() : std::move(text));
    }
    case OutputKind::kText:
      return Single(render::RenderText(report));
    case OutputKind::kXlsx:
      return Single(render::RenderXlsx(report));
    case OutputKind::kJunit:
      return Single(render::RenderJunit(report));
    case OutputKind::kSarif:
      return Single(render::RenderSarif(report, PlacesFor(report)));
    case OutputKind::kGithub:
      return Single(render::RenderGithub(report, PlacesFor(report)));
    case OutputKind::kCodeQuality:
      return Single(render::RenderGitlab(report, PlacesFor(report)));
    case OutputKind::kMetrics:
      return Single(render::RenderOpenMetrics(report, options_.labels));
    case OutputKind::kVerdict:
    case OutputKind::kDotenv:
    case OutputKind::kGithubOutput:
      return DrawFacts(item, render::FactsOf(report, exit_code_));
    case OutputKind::kRow:
      return Single(RowOf(report));
    case OutputKind::kRunSummary:
      return Single(summarize_());
    case OutputKind::kTrace: {
      std::string trace = render::RenderChromeTrace(report);
      return Single(item.path.ends_with(".gz") ? render::Gzip(trace) : std::move(trace));
    }
    case OutputKind::kJson:
      break;
  }
  return Single(render::RenderJson(report));
}

std::string Drawing::RowOf(const report::Report& report) const {
  report::RunRow row = report::RowOf(report, RowFactsOf(options_, exit_code_));
  if (described_) report::DescribeRun(*described_, static_cast<bool>(options_.redact), row);
  return render::RenderRow(row);
}

std::string Drawing::RowOf(const render::Ending& ending) const {
  std::vector<std::string> codes;
  for (const render::EndingError& error : ending.errors) codes.push_back(error.code);
  return render::RenderRow(report::RowOf(std::move(codes), RowFactsOf(options_, ending.exit_code)));
}

Result<std::vector<render::File>> Drawing::DrawFacts(const Item& item,
                                                     render::VerdictFacts facts) const {
  if (!options_.redact) facts.model = options_.model;
  facts.link = Link();
  if (const std::string page = PagePath(); !page.empty()) {
    const fs::path from =
        item.kind == OutputKind::kVerdict ? fs::path(item.path).parent_path() : ".";
    facts.report = fs::path(page).lexically_proximate(from).generic_string();
  }
  if (item.kind == OutputKind::kDotenv) return Single(render::RenderDotenv(facts));
  if (item.kind == OutputKind::kGithubOutput) return Single(render::RenderGithubOutput(facts));
  return Single(render::RenderVerdict(facts));
}

Result<std::vector<render::File>> Drawing::DrawOne(const Item& item,
                                                   const report::Runs& runs) const {
  switch (item.kind) {
    case OutputKind::kHtml:
      return Single(render::RenderRunsHtml(runs));
    case OutputKind::kHtmlFolder:
      return render::RenderRunsHtmlFiles(runs);
    case OutputKind::kMarkdown:
      return Single(render::RenderRunsMarkdown(runs));
    case OutputKind::kXlsx:
      return Single(render::RenderRunsXlsx(runs));
    case OutputKind::kSummary:
    case OutputKind::kStepSummary: {
      const bool is_file = item.kind == OutputKind::kSummary;
      std::string text = render::RenderRunsSummary(
          runs, is_file ? kCommentBytes : std::min(kCommentBytes, step_summary_room_));
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
    case OutputKind::kHtml:
      return Single(render::RenderHtml(ending));
    case OutputKind::kHtmlFolder:
      return render::RenderHtmlFiles(ending);
    case OutputKind::kMarkdown:
      return Single(render::RenderMarkdown(ending));
    case OutputKind::kSummary:
      return Single(render::RenderMarkdown(ending, kCommentBytes));
    case OutputKind::kStepSummary: {
      std::string text =
          render::RenderMarkdown(ending, std::min(kCommentBytes, step_summary_room_));
      return Single(text.size() > step_summary_room_ ? std::string() : std::move(text));
    }
    case OutputKind::kText:
      return Single(render::RenderText(ending));
    case OutputKind::kXlsx:
      return Single(render::RenderXlsx(ending));
    case OutputKind::kJunit:
      return Single(render::RenderJunit(ending));
    case OutputKind::kSarif:
      return Single(render::RenderSarif(ending));
    case OutputKind::kGithub:
      return Single(render::RenderGithub(ending));
    case OutputKind::kCodeQuality:
      return Single(render::RenderGitlab(ending));
    case OutputKind::kMetrics:
      return Single(render::RenderOpenMetrics(ending, options_.labels));
    case OutputKind::kVerdict:
    case OutputKind::kDotenv:
    case OutputKind::kGithubOutput:
      return DrawFacts(item, render::FactsOf(ending));
    case OutputKind::kRow:
      return Single(RowOf(ending));
    case OutputKind::kTrace:  // Draw() removes a trace without events.
    case OutputKind::kRunSummary:
    case OutputKind::kJson:
      break;
  }
  return Single(render::RenderJson(ending));
}

Status Drawing::Draw(const render::Ending& ending) {
  Status first;
  for (Item& item : items_) {
    if (item.kind == OutputKind::kTrace || item.kind == OutputKind::kRunSummary) {
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
        if (add_timeline && ShowsTimeline(item.kind)) {
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
    if (item.kind == OutputKind::kRunSummary) outputs_.RemoveEarlier(item.outputs.front().second);
    return item.kind == OutputKind::kRunSummary;
  });
}

Status Drawing::DrawAll(const DrawsOne& draw_one, Stats& stats) {
  RemoveUnsummarized();
  std::vector<Result<std::vector<render::File>>> drawn(items_.size());
  std::vector<std::size_t> order(items_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Renders the workbook first, because it takes longest: started last, all would wait for it.
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return items_[i].kind == OutputKind::kXlsx; });
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
  std::vector<std::pair<std::string, std::vector<std::string>>> folders;
  for (const Item& item : items_) {
    if (!item.written || item.path == "-") continue;
    const fs::path path(item.path);
    const std::string folder = path.parent_path().string();
    auto known = std::find_if(folders.begin(), folders.end(),
                              [&](const auto& some) { return some.first == folder; });
    if (known == folders.end()) known = folders.insert(folders.end(), {folder, {}});
    known->second.push_back(path.filename().string());
  }
  std::vector<std::string> lines;
  for (const auto& [folder, names] : folders) {
    const bool is_one = names.size() == 1;
    lines.push_back(folder.empty() ? fmt::format("wrote {}", fmt::join(names, " "))
                    : is_one       ? fmt::format("wrote {}", (fs::path(folder) / names[0]).string())
                                   : fmt::format("wrote {}/: {}", folder, fmt::join(names, " ")));
  }
  return lines;
}

std::string Drawing::Page() const {
  const auto page = std::find_if(items_.begin(), items_.end(), [](const Item& item) {
    return item.kind == OutputKind::kHtml && item.written && item.path != "-";
  });
  return page == items_.end() ? "" : page->path;
}

void Tell(const std::string& text, const Drawing& drawing, Console& console) {
  drawing.uses_stdout() ? console.Warn(text) : console.Print(text);
  for (const std::string& line : drawing.Summary()) console.Say(line);
  const std::string page = drawing.Page();
  if (page.empty() || !console.err_is_terminal()) return;
  // SSH_CONNECTION has client address, client port, server address, server port.
  const char* const ssh = std::getenv("SSH_CONNECTION");
  std::istringstream connection(ssh == nullptr ? "" : ssh);
  std::string client, port, host;
  console.Say(connection >> client >> port >> host
                  ? fmt::format("copy   scp {}:{} .", host, fs::absolute(page).string())
                  : fmt::format("open   {}   (one file for any browser)", page));
}

Status LeaveEnding(const Options& options, const render::Ending& ending) {
  // Without the policy not all inputs are known, so other files are kept even with --force.
  KeptFiles kept = KeptBy(options);
  kept.force = false;
  Drawing drawing(std::move(kept));
  drawing.OpenThose(options);
  return drawing.Draw(ending);
}

}  // namespace profgauge::cli
