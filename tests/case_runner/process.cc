// Runs the program under test.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "case.h"

namespace profgauge::cases {
namespace {

/// Variables that may change the output are fixed here, so that cases hold on every machine.
char* const kEnvironment[] = {const_cast<char*>("LC_ALL=C"),
                              const_cast<char*>("TZ=UTC"),
                              const_cast<char*>("TERM=dumb"),
                              const_cast<char*>("COLUMNS=100"),
                              const_cast<char*>("PATH=/usr/bin:/bin"),
                              const_cast<char*>("SOURCE_DATE_EPOCH=3976214400"),
                              const_cast<char*>("ASAN_OPTIONS=detect_leaks=0"),
                              nullptr};

}  // namespace

Outcome RunProgram(const std::filesystem::path& directory, const std::vector<std::string>& args,
                   const std::filesystem::path& input) {
  const std::filesystem::path out = directory.string() + ".out";
  const std::filesystem::path err = directory.string() + ".err";
  const std::string in = std::filesystem::exists(input) ? input.string() : "/dev/null";

  std::vector<std::string> words = {PROFGAUGE_PROGRAM};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), kEnvironment);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot run " + words[0]);

  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = ReadFile(out);
  outcome.err = ReadFile(err);
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

}  // namespace profgauge::cases
