#include "cli/shell.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

extern char** environ;

namespace profgauge::cli {
namespace {

constexpr int kBySignal = 128;
constexpr int kLogMode = 0644;

/// This process's variables with those of `more`, which have precedence.
std::vector<std::string> EnvironmentWith(
    const std::vector<std::pair<std::string, std::string>>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool is_replaced = false;
    for (const auto& [name, value] : more) {
      is_replaced |= text.substr(0, text.find('=')) == name;
    }
    if (!is_replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

Error NotStarted(const std::string& command, int number) {
  Error error;
  error.kind = ErrorKind::kOutput;
  error.code = "shell/failed";
  error.message = fmt::format("`{}` cannot be started: {}", command, std::strerror(number));
  return error;
}

}  // namespace

// The program is spawned and not forked, since other threads may hold locks.
Result<int> RunInShell(const std::string& command,
                       const std::vector<std::pair<std::string, std::string>>& variables,
                       const std::string& log) {
  std::vector<std::string> texts = EnvironmentWith(variables);
  std::vector<char*> environment;
  for (std::string& text : texts) environment.push_back(text.data());
  environment.push_back(nullptr);
  std::string shell = "/bin/sh", option = "-c", script = command;
  char* const arguments[] = {shell.data(), option.data(), script.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, kLogMode);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  const int failed =
      posix_spawn(&process, shell.c_str(), &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Fail(NotStarted(command, failed));
  int state = 0;
  while (waitpid(process, &state, 0) < 0) {
    if (errno != EINTR) return Fail(NotStarted(command, errno));
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : kBySignal + WTERMSIG(state);
}

}  // namespace profgauge::cli
