#include "base/errors.h"

#include <utility>

namespace profgauge {

Error InputError(std::string file, std::string code, std::string message, std::string help) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = std::move(code);
  error.message = std::move(message);
  error.where.file = std::move(file);
  if (!help.empty()) error.notes.push_back("help: " + std::move(help));
  return error;
}

Error InputErrorAt(std::string file, std::uint64_t offset, std::string code, std::string message,
                   std::string help) {
  Error error = InputError(std::move(file), std::move(code), std::move(message), std::move(help));
  error.where.offset = offset;
  error.where.has_offset = true;
  return error;
}

Error UsageError(std::string code, std::string message, std::string help) {
  Error error{ErrorKind::kUsage, std::move(code), std::move(message), {}, {}};
  if (!help.empty()) error.notes.push_back("help: " + std::move(help));
  return error;
}

}  // namespace profgauge
