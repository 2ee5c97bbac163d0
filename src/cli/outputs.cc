#include "cli/outputs.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "base/errors.h"
#include "base/files.h"
#include "base/replace_file.h"
#include "cli/exit_code.h"

namespace profgauge::cli {
namespace {

extern "C" void RemoveOutputsAndExit(int signal) {
  RemoveTemporaries();
  _exit(kExitOnSignal + signal);
}

/// True in a container, in which the user often may not write to a folder of the host.
bool IsInContainer() {
  return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0;
}

Error OutputError(std::string code, const std::string& path, const std::string& verb, int number) {
  Error error{
      ErrorKind::kOutput,
      std::move(code),
      fmt::format("cannot {} `{}`: {}", verb, path, std::generic_category().message(number)),
      {},
      {}};
  if (number == ENOENT) error.notes.emplace_back("help: create its folder first");
  if ((number == EACCES || number == EPERM) && IsInContainer()) {
    error.notes.emplace_back(
        "help: in a container, run it as yourself: `docker run -u \"$(id -u)\" …`");
  }
  return error;
}

std::string TargetOf(const std::string& path) { return path == "-" ? path : TargetOfLinks(path); }

Status WriteAll(int descriptor, std::string_view bytes, const std::string& path) {
  if (WriteWhole(descriptor, bytes)) return {};
  return Fail(OutputError("output/cannot-write", path, "write", errno));
}

// Opens a device, or a pipe that has a reader. Opens without waiting, then sets it to blocking.
Result<int> OpenSpecial(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0 && errno == ENXIO) {
    Error error = OutputError("output/cannot-create", path, "write", ENXIO);
    error.message = fmt::format("`{}` is a pipe, and no program reads it", path);
    return Fail(std::move(error));
  }
  if (descriptor < 0) return Fail(OutputError("output/cannot-create", path, "create", errno));
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags >= 0) (void)fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
  return descriptor;
}

}  // namespace

Outputs::~Outputs() {
  for (const Output& output : outputs_) {
    if (output.descriptor < 0 || output.temporary.empty()) continue;
    close(output.descriptor);
    unlink(output.temporary.c_str());
    ForgetTemporary(output.temporary);
  }
  // rmdir() removes only empty folders, so a folder with a report stays.
  for (auto it = made_directories_.rbegin(); it != made_directories_.rend(); ++it) {
    rmdir(it->c_str());
  }
}

Status Outputs::MakeDirectory(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> missing;
  for (fs::path path = directory; !path.empty() && !fs::exists(path, error);
       path = path.parent_path()) {
    missing.insert(missing.begin(), path.string());
    if (path == path.parent_path()) break;
  }
  for (const std::string& path : missing) {
    made_directories_.push_back(path);  // Before the folder exists, since push_back may throw.
    if (mkdir(path.c_str(), 0777) == 0) continue;
    const int number = errno;
    made_directories_.pop_back();
    if (number != EEXIST) {
      return Fail(OutputError("output/cannot-create", path, "create folder", number));
    }
  }
  if (!fs::is_directory(directory, error)) {
    return Fail(OutputError("output/cannot-create", directory, "create folder", ENOTDIR));
  }
  return {};
}

Status Outputs::CheckOnce(const std::string& path, const std::string& target) const {
  for (const Output& output : outputs_) {
    if (output.target != target) continue;
    return Fail(UsageError("usage/output-twice",
                           path == "-" ? "two outputs go to standard output"
                                       : fmt::format("two outputs have the same file `{}`", path)));
  }
  return {};
}

Status Outputs::CheckLink(const std::string& path, const std::string& target) const {
  if (within_.empty() || path == "-") return {};
  std::error_code error;
  const auto folder = std::filesystem::canonical(within_, error);
  const auto named = std::filesystem::path(path).lexically_relative(within_);
  const bool is_below = !named.empty() && *named.begin() != "..";
  if (error || !is_below || IsWithin(target, folder)) return {};
  Error leaves = OutputError("output/link", path, "write", ELOOP);
  leaves.message = fmt::format("`{}` is a link that leaves `{}`", path, within_);
  leaves.notes = {"help: remove the link, or name the file by its own option: `--html FILE`"};
  return Fail(std::move(leaves));
}

Result<std::size_t> Outputs::Open(const std::string& path, FileKind kind) {
  Output output;
  output.path = path;
  output.target = TargetOf(path);
  PROFGAUGE_CHECK(CheckLink(path, output.target));
  PROFGAUGE_CHECK(CheckOnce(path, output.target));
  PROFGAUGE_CHECK(CheckReplacing(path, kind, kept_));
  struct stat status {};
  const bool exists = path != "-" && stat(path.c_str(), &status) == 0;
  outputs_.reserve(outputs_.size() + 1);  // Before the file exists, since reserve() may throw.
  if (path == "-") {
    output.descriptor = STDOUT_FILENO;
  } else if (exists && S_ISDIR(status.st_mode)) {
    return Fail(OutputError("output/cannot-create", path, "write", EISDIR));
  } else if (exists && !S_ISREG(status.st_mode)) {
    PROFGAUGE_TRY(output.descriptor, OpenSpecial(path));
  } else {
    output.descriptor = OpenTemporary(output.target, output.temporary);
  }
  if (output.descriptor < 0)
    return Fail(OutputError("output/cannot-create", path, "create", errno));
  outputs_.push_back(std::move(output));
  return outputs_.size() - 1;
}

Result<std::size_t> Outputs::OpenToAppend(const std::string& path) {
  Output output;
  output.path = path;
  output.target = TargetOf(path);
  PROFGAUGE_CHECK(CheckOnce(path, output.target));
  PROFGAUGE_CHECK(CheckAppending(path, kept_));
  outputs_.reserve(outputs_.size() + 1);
  output.descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (output.descriptor < 0) {
    Error error = OutputError("output/cannot-create", path, "append to", errno);
    if (errno == ELOOP) {
      error.message = fmt::format("`{}` is a link, and links are not appended to", path);
      error.notes = {"help: name the file itself"};
    }
    return Fail(std::move(error));
  }
  outputs_.push_back(std::move(output));
  return outputs_.size() - 1;
}

Status Outputs::Write(std::size_t index, std::string_view bytes) {
  return WriteAll(outputs_[index].descriptor, bytes, outputs_[index].path);
}

Status Outputs::Commit(std::size_t index, std::string_view bytes) {
  Output& output = outputs_[index];
  PROFGAUGE_CHECK(WriteAll(output.descriptor, bytes, output.path));
  if (output.path == "-") return {};
  // Some file systems report a failed write only at close(), e.g. for a quota or a lost server.
  bool in_place = close(output.descriptor) == 0;
  output.descriptor = -1;
  const bool is_temporary = !output.temporary.empty();
  if (is_temporary) {
    in_place = in_place && std::rename(output.temporary.c_str(), output.target.c_str()) == 0;
  }
  const int number = errno;
  // If renaming failed, removes the file here, because the destructor no longer knows it.
  if (is_temporary && !in_place) unlink(output.temporary.c_str());
  if (is_temporary) ForgetTemporary(output.temporary);
  if (!in_place) return Fail(OutputError("output/cannot-write", output.path, "write", number));
  return {};
}

void Outputs::RemoveEarlier(std::size_t index) {
  const Output& output = outputs_[index];
  if (!output.temporary.empty()) unlink(output.target.c_str());
}

bool Outputs::uses_stdout() const {
  for (const Output& output : outputs_) {
    if (output.path == "-") return true;
  }
  return false;
}

void InstallSignalHandlers() {
  struct sigaction action {};
  action.sa_handler = RemoveOutputsAndExit;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM}) {
    sigaction(signal, &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  // Makes a limit on file sizes a write error, like a full disk.
  sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace profgauge::cli
