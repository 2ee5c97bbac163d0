// `profgauge scrub`: makes a copy of a profile that can be attached to a ticket.
#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "base/byte_source.h"
#include "base/files.h"
#include "base/format.h"
#include "base/gzip.h"
#include "base/hashes.h"
#include "base/read_block.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/file_kind.h"
#include "cli/outputs.h"
#include "readers/builtin.h"
#include "readers/database/sqlite_table.h"
#include "report/code_names.h"
#include "report/redact.h"

namespace profgauge::cli {

namespace {

namespace fs = std::filesystem;

// Writes the copy of a database. An existing file is replaced only when the copy is complete.
Result<readers::Scrubbed> ScrubInto(const std::string& in, const std::string& out,
                                    const readers::Rename& rename) {
  std::error_code error;
  if (!fs::is_regular_file(out, error)) return readers::ScrubDatabase(in, out, rename);
  const fs::path target = fs::canonical(out, error);
  const std::string copy = fmt::format("{}.{}.tmp", target.string(), getpid());
  PROFGAUGE_TRY(const readers::Scrubbed done, readers::ScrubDatabase(in, copy, rename));
  fs::rename(copy, target, error);
  if (!error) return done;
  fs::remove(copy, error);
  return Fail(Error{ErrorKind::kOutput,
                    "output/cannot-write",
                    fmt::format("cannot write `{}`", Printable(out)),
                    {},
                    {}});
}

bool IsDatabase(const std::string& path) {
  constexpr std::size_t kMagic = 16;
  return readers::IsSqlite(ReadHead(path, kMagic));
}

Result<std::string> HashOf(const std::string& path) {
  PROFGAUGE_TRY(const auto source, OpenByteSource(path));
  ContentHash hash;
  std::vector<std::byte> block(kReadBlock);
  while (true) {
    PROFGAUGE_TRY(const std::size_t got, source->Read(block));
    if (got == 0) return hash.Hex();
    hash.Add({reinterpret_cast<const char*>(block.data()), got});
  }
}

/// A temporary file beside `out`; the destructor removes it.
class Draft {
 public:
  explicit Draft(const std::string& out) : path_(fmt::format("{}.{}.draft", out, getpid())) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Learns all names of code before any is hidden, because public names must be known by then. For a
/// database, this writes a copy, which is discarded.
Status LearnNames(const std::string& in, const std::string& out, report::CodeNames& code) {
  const readers::Rename learn = [&code](std::string_view name) {
    code.Learn(name);
    return std::string(name);
  };
  if (!IsDatabase(in)) {
    PROFGAUGE_CHECK(readers::ScrubTrace(in, learn));
    return {};
  }
  const Draft draft(out);
  PROFGAUGE_CHECK(readers::ScrubDatabase(in, draft.path(), learn));
  return {};
}

Result<int> ScrubText(const std::string& in, const std::string& out, const readers::Rename& rename,
                      const Options& options, Console& console) {
  Outputs outputs(KeptBy(options));
  PROFGAUGE_TRY(const std::size_t output, outputs.Open(out, FileKind::kTrace));
  PROFGAUGE_TRY(std::string bytes, readers::ScrubTrace(in, rename));
  const std::size_t size = bytes.size();
  if (out.ends_with(".gz")) bytes = Gzip(bytes);
  PROFGAUGE_CHECK(outputs.Commit(output, bytes));
  console.Say(fmt::format("wrote {}: {}", Printable(out), FormatBytes(static_cast<double>(size))));
  return kExitPass;
}

}  // namespace

Result<int> RunScrub(const Options& options, Console& console) {
  const std::string& in = options.arguments[0];
  const std::string& out = options.arguments[1];
  std::optional<report::CodeNames> code;
  readers::Rename rename;
  std::unordered_map<std::string, std::string> hidden;
  std::error_code ignored;
  // A folder has no content hash, so this call rejects it with an explanation.
  if (fs::is_directory(in, ignored)) PROFGAUGE_CHECK(readers::ScrubTrace(in, rename));
  if (options.redact.HidesCode()) {
    PROFGAUGE_TRY(const std::string hash, HashOf(in));
    code.emplace(report::KeyOf(options.redact, std::span(&hash, 1)));
    PROFGAUGE_CHECK(LearnNames(in, out, *code));
    // Remembers hidden names, because a profile has few different names, each many times.
    rename = [&code, &hidden](std::string_view name) {
      const auto [known, is_new] = hidden.try_emplace(std::string(name));
      if (is_new) known->second = code->HideInParts(name);
      return known->second;
    };
  }
  if (!IsDatabase(in)) return ScrubText(in, out, rename, options, console);
  PROFGAUGE_CHECK(CheckReplacing(out, FileKind::kDatabase, KeptBy(options)));
  PROFGAUGE_TRY(const readers::Scrubbed done, ScrubInto(in, out, rename));
  console.Say(fmt::format("wrote {}: {} tables kept in part, {} left out; {} texts changed",
                          Printable(out), done.tables_kept, done.tables_left_out,
                          done.texts_changed));
  return kExitPass;
}

}  // namespace profgauge::cli
