// make_shape: writes a degenerate trace, to measure bounds with.
//
//   make_shape SHAPE COUNT OUT.json[.gz]        the shapes are those of shapes.h
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tools/shapes.h"

int main(int argc, char** argv) {
  namespace shapes = profgauge::shapes;
  const auto shape = argc == 4 ? shapes::Find(argv[1]) : std::nullopt;
  if (!shape) {
    fmt::print(stderr, "usage: make_shape SHAPE COUNT OUT.json[.gz], SHAPE one of:");
    for (const shapes::Named& each : shapes::kShapes) fmt::print(stderr, " {}", each.name);
    fmt::print(stderr, "\n");
    return 2;
  }
  const std::string path = argv[3];
  gzFile file = gzopen(path.c_str(), path.ends_with(".gz") ? "wb6" : "wbT");
  if (file == nullptr) {
    fmt::print(stderr, "make_shape: cannot write {}\n", path);
    return 4;
  }
  shapes::Write(*shape, std::strtoll(argv[2], nullptr, 10), [&](std::string_view text) {
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  });
  return gzclose(file) == Z_OK ? 0 : 4;
}
