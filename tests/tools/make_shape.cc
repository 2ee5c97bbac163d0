// make_shape: writes a degenerate recording, to measure bounds with.
//
//   make_shape SHAPE COUNT OUT.json[.gz]        the shapes are those of shapes.h
//   make_shape SHAPE COUNT OUT.sqlite           those of database_shapes.h
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/database_shapes.h"
#include "tools/shapes.h"

namespace {

int Usage() {
  namespace shapes = profgauge::shapes;
  fmt::print(stderr, "usage: make_shape SHAPE COUNT OUT.json[.gz], SHAPE one of:");
  for (const shapes::Named& each : shapes::kShapes) fmt::print(stderr, " {}", each.name);
  fmt::print(stderr, "\n       make_shape SHAPE COUNT OUT.sqlite, SHAPE one of:");
  for (const shapes::DatabaseShape& each : shapes::kDatabaseShapes) {
    fmt::print(stderr, " {}", each.name);
  }
  fmt::print(stderr, "\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  namespace shapes = profgauge::shapes;
  if (argc == 4 && argv[3][0] == '-') return Usage();
  if (argc == 4 && std::string_view(argv[3]).ends_with(".sqlite")) {
    const shapes::DatabaseShape* shape = shapes::FindDatabaseShape(argv[1]);
    if (shape == nullptr) return Usage();
    const bool is_done = shapes::WriteDatabase(*shape, std::strtoll(argv[2], nullptr, 10), argv[3]);
    if (!is_done) fmt::print(stderr, "make_shape: cannot write {}\n", argv[3]);
    return is_done ? 0 : 4;
  }
  const auto shape = argc == 4 ? shapes::Find(argv[1]) : std::nullopt;
  if (!shape) return Usage();
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
