#include "render/xlsx/xlsx_book.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "render/shared/words.h"

namespace profgauge::render {

XlsxBook::XlsxBook(const std::string& title, std::int64_t created) {
  file_ = memfd_create("profgauge.xlsx", MFD_CLOEXEC);
  if (file_ < 0) return;
  static char kDefaultFolder[] = "/tmp";
  char* folder = std::getenv("TMPDIR");
  lxw_workbook_options options = {};
  options.tmpdir = folder != nullptr && *folder != '\0' ? folder : kDefaultFolder;
  book_ = workbook_new_opt(fmt::format("/proc/self/fd/{}", file_).c_str(), &options);
  if (book_ == nullptr) return;
  lxw_doc_properties properties = {};
  std::string name = ElideMiddle(XlsxText(title), 60), comment = "Written by profgauge";
  properties.title = name.data();
  properties.comments = comment.data();
  properties.created = static_cast<time_t>(created);
  Check(workbook_set_properties(book_, &properties));
}

XlsxBook::~XlsxBook() {
  if (book_ != nullptr) lxw_workbook_free(book_);
  if (file_ >= 0) close(file_);
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

Result<std::string> XlsxBook::Finish() {
  Error error;
  error.kind = ErrorKind::kOutput;
  error.code = "xlsx/library";
  if (book_ == nullptr) {
    error.message = "the workbook cannot be made: no memory or no temporary file";
    return Fail(std::move(error));
  }
  Check(workbook_close(std::exchange(book_, nullptr)));
  struct stat info = {};
  if (error_ == LXW_NO_ERROR && fstat(file_, &info) == 0 && info.st_size > 0) {
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    const ssize_t count = pread(file_, bytes.data(), bytes.size(), 0);
    if (count == info.st_size) return bytes;
  }
  error.message = fmt::format("the workbook cannot be written: {}", lxw_strerror(error_));
  return Fail(std::move(error));
}

}  // namespace profgauge::render
