#include "base/git.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <map>
#include <utility>

extern char** environ;

namespace profgauge::git {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{5};
constexpr std::size_t kMostBytes = 16 << 20;

// This process's environment without variables that redirect git.
std::vector<std::string> Environment() {
  std::vector<std::string> variables = {"GIT_OPTIONAL_LOCKS=0",     "GIT_TERMINAL_PROMPT=0",
                                        "GIT_NO_LAZY_FETCH=1",      "GIT_ALLOW_PROTOCOL=none",
                                        "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("GIT_") && !text.starts_with("LC_ALL=")) variables.emplace_back(text);
  }
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// All output of a child until the deadline; nullopt if it writes too much or takes too long.
std::optional<std::string> ReadAll(int file) {
  const Clock::time_point end = Clock::now() + kPatience;
  std::string out;
  std::array<char, 65536> block;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0 || out.size() > kMostBytes) return std::nullopt;
    pollfd waiting{file, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    const ssize_t count = read(file, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return out;
    out.append(block.data(), static_cast<std::size_t>(count));
  }
}

/// The output of `git ARGUMENTS`; nullopt on failure.
std::optional<std::string> Run(const std::string& folder, std::vector<std::string> arguments) {
  std::vector<std::string> words = {"git",
                                    "--no-pager",
                                    "--no-optional-locks",
                                    "-C",
                                    folder.empty() ? "." : folder,
                                    "-c",
                                    "core.fsmonitor=false",
                                    "-c",
                                    "core.hooksPath=/dev/null",
                                    "-c",
                                    "log.showSignature=false"};
  std::move(arguments.begin(), arguments.end(), std::back_inserter(words));
  std::vector<std::string> variables = Environment();
  const std::vector<char*> argv = Pointers(words), envp = Pointers(variables);
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "git", &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(pipes[1]);
  std::optional<std::string> out;
  if (failed == 0) out = ReadAll(pipes[0]);
  close(pipes[0]);
  if (failed != 0) return std::nullopt;
  if (!out) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!out || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return out;
}

std::vector<std::string> Split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string FirstLine(const std::optional<std::string>& text) {
  return text ? text->substr(0, text->find('\n')) : std::string();
}

}  // namespace

bool IsName(std::string_view text) {
  constexpr std::string_view kSigns = "-._/+@#";
  const auto is_good = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kSigns.find(c) != kSigns.npos;
  };
  return !text.empty() && text.size() <= 200 && text.front() != '-' &&
         text.find("..") == text.npos && text.find("@{") == text.npos &&
         std::all_of(text.begin(), text.end(), is_good);
}

namespace {

bool IsHash(std::string_view text) {
  return text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

std::optional<Head> HeadOf(const std::string& folder) {
  Head head;
  head.commit = FirstLine(Run(folder, {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}));
  if (head.commit.empty()) return std::nullopt;
  head.branch = FirstLine(Run(folder, {"symbolic-ref", "--quiet", "--short", "HEAD"}));
  const auto changes = Run(folder, {"status", "--porcelain", "--untracked-files=no"});
  head.is_clean = changes && changes->empty();
  return head;
}

std::vector<std::string> AncestorsOf(const std::string& folder, std::string_view commit,
                                     std::size_t most) {
  if (!IsName(commit)) return {};
  const auto text = Run(folder, {"rev-list", "--topo-order", "--max-count=" + std::to_string(most),
                                 std::string(commit), "--"});
  return text ? Split(*text, '\n') : std::vector<std::string>();
}

std::optional<Commit> FindCommit(const std::string& folder, std::string_view commit) {
  if (!IsName(commit)) return std::nullopt;
  const std::string line =
      FirstLine(Run(folder, {"log", "-1", "--no-show-signature", "--format=%H %ct %P",
                             std::string(commit), "--"}));
  std::vector<std::string> words = Split(line, ' ');
  if (words.size() < 2) return std::nullopt;
  Commit found;
  found.hash = words[0];
  std::from_chars(words[1].data(), words[1].data() + words[1].size(), found.time);
  found.parents.assign(words.begin() + 2, words.end());
  return found;
}

// One call lists HEAD and the existing branches.
std::optional<Fork> FindFork(const std::string& folder, const std::vector<std::string>& branches) {
  std::vector<std::string> arguments = {"show-ref", "--head"}, names;
  for (const std::string& branch : branches) {
    if (!IsName(branch)) continue;
    for (const char* where : {"refs/remotes/origin/", "refs/heads/"}) {
      names.push_back(where + branch);
      arguments.push_back(names.back());
    }
    if (IsHash(branch)) names.push_back(branch);
  }
  const auto text = Run(folder, std::move(arguments));
  std::map<std::string, std::string> commits;  // By name.
  for (const std::string& line : Split(text.value_or(""), '\n')) {
    const std::size_t blank = line.find(' ');
    if (blank != line.npos) commits.emplace(line.substr(blank + 1), line.substr(0, blank));
  }
  const std::string head = commits["HEAD"];
  if (head.empty()) return std::nullopt;
  for (const std::string& name : names) {
    const auto found = commits.find(name);
    if (found == commits.end() && !IsHash(name)) continue;
    const std::string& other = found == commits.end() ? name : found->second;
    return Fork{head, head == other ? head : FirstLine(Run(folder, {"merge-base", other, head}))};
  }
  return std::nullopt;
}

std::optional<std::string> FileAt(const std::string& folder, std::string_view commit,
                                  std::string_view path) {
  if (!IsName(commit) || path.empty()) return std::nullopt;
  return Run(folder, {"cat-file", "blob", std::string(commit) + ":./" + std::string(path)});
}

bool HasFile(const std::string& folder, std::string_view commit, std::string_view path) {
  if (!IsName(commit) || path.empty()) return false;
  const std::string name = std::string(commit) + ":./" + std::string(path);
  return Run(folder, {"rev-parse", "--verify", "--quiet", name}).has_value();
}

std::string UserName(const std::string& folder) {
  return FirstLine(Run(folder, {"config", "--get", "user.name"}));
}

}  // namespace profgauge::git
