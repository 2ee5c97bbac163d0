#include "render/shared/gzip.h"

#include "base/gzip.h"

namespace profgauge::render {

std::string Gzip(const std::string& bytes) { return profgauge::Gzip(bytes); }

}  // namespace profgauge::render
