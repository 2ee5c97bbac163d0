#include "render/xlsx/xlsx_book.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "render/shared/words.h"

namespace profgauge::render {

namespace {

/// Where libxlsxwriter keeps parts of the workbook for a while.
std::string TemporaryFolder() {
  const char* named = std::getenv("TMPDIR");
  if (named != nullptr && *named != '\0') return named;
  constexpr const char* kUsual = "/tmp";
  return access(kUsual, W_OK | X_OK) == 0 ? kUsual : ".";
}

}  // namespace

// The library writes to a name. Memory has one in /proc; where that is not mounted, e.g. in an
// empty container, it is a file that Finish() removes.
XlsxBook::XlsxBook(const std::string& title, std::int64_t created) : folder_(TemporaryFolder()) {
  std::string name_of_file;
  if (access("/proc/self/fd", X_OK) == 0) {
    file_ = memfd_create("profgauge.xlsx", MFD_CLOEXEC);
    name_of_file = fmt::format("/proc/self/fd/{}", file_);
  } else {
    name_of_file = folder_ + "/profgauge-XXXXXX";
    file_ = mkstemp(name_of_file.data());
    if (file_ >= 0) to_remove_ = name_of_file;
  }
  if (file_ < 0) return;
  lxw_workbook_options options = {};
  options.tmpdir = folder_.data();
  book_ = workbook_new_opt(name_of_file.c_str(), &options);
  if (book_ == nullptr) return;
  lxw_doc_properties properties = {};
  std::string name = ElideMiddle(XlsxText(title), 60), comment = "Written by profgauge";
  // By the creator a later run knows that it may write the file anew.
  std::string creator = "profgauge";
  properties.title = name.data();
  properties.author = creator.data();
  properties.comments = comment.data();
  properties.created = static_cast<time_t>(created);
  Check(workbook_set_properties(book_, &properties));
}

XlsxBook::~XlsxBook() {
  if (book_ != nullptr) lxw_workbook_free(book_);
  if (file_ >= 0) close(file_);
  if (!to_remove_.empty()) unlink(to_remove_.c_str());
}

void XlsxBook::Check(lxw_error error) {
  if (error_ == LXW_NO_ERROR) error_ = error;
}

lxw_format* XlsxBook::Format(XlsxStyle style) {
  if (style == XlsxStyle::kPlain || style == XlsxStyle::kFree) return nullptr;
  lxw_format*& format = formats_[style];
  if (format == nullptr) {
    format = workbook_add_format(book_);
    SetUpFormat(format, style);
  }
  return format;
}

lxw_format* XlsxBook::FormatWithUnit(Unit unit) {
  lxw_format*& format = unit_formats_[unit];
  if (format != nullptr) return format;
  format = workbook_add_format(book_);
  SetUpFormat(format, XlsxUnitOf(unit).style);
  const std::string_view name = XlsxUnitOf(unit).name;
  if (!name.empty()) {
    const std::string_view digits = unit == Unit::kTime ? "#,##0.000" : "#,##0.00";
    format_set_num_format(format, fmt::format("{}\" {}\"", digits, name).c_str());
  }
  return format;
}

void XlsxBook::Name(const char* name, const std::string& sheet, const std::string& cells) {
  Check(workbook_define_name(book_, name, fmt::format("='{}'!{}", sheet, cells).c_str()));
}

// Closing writes the file. A failure of any earlier call is reported here, the first of several.
Result<std::string> XlsxBook::Finish() {
  Error error;
  error.kind = ErrorKind::kOutput;
  error.code = "xlsx/library";
  if (book_ == nullptr) {
    error.message = "the workbook cannot be created: no memory or no temporary file";
    return Fail(std::move(error));
  }
  Check(workbook_close(std::exchange(book_, nullptr)));
  struct stat info = {};
  errno = 0;
  if (error_ == LXW_NO_ERROR && fstat(file_, &info) == 0 && info.st_size > 0) {
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    const ssize_t count = pread(file_, bytes.data(), bytes.size(), 0);
    if (count == info.st_size) return bytes;
  }
  const char* why = error_ != LXW_NO_ERROR ? lxw_strerror(error_)
                    : errno != 0           ? std::strerror(errno)
                                           : "its temporary file was cut short";
  error.message = fmt::format("the workbook cannot be written: {}", why);
  return Fail(std::move(error));
}

}  // namespace profgauge::render
