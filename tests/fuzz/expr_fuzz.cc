// Any bytes as an expression, a sort order and a message: compiled, printed, evaluated.
//
// Checks: nothing crashes, canonical text parses to the same tree, batches agree with single rows.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../unit/expr/fixture.h"
#include "expr/message.h"

#include "support/line_mutator.h"

namespace {

using namespace profgauge::expr;

/// Parts of the grammar, by words.
constexpr std::string_view kKnown[] = {
    "default",
    "(kernel.op default '')",
    "kernel.bytes default 7 B",
    "(lost default 0 ms) + wait",
    "not in ['a', 'it''s']",
    "not starts_with 'aten'",
    "if(known(lost), lost, 3 us)",
    "greatest_known(lost, wait)",
    "plural(count(), 'kernel', 'kernels')",
    "kernel.name + '!'",
    "at_max(kernel.name, kernel.time, kernel.is_collective)",
    "percentile(kernel.time, 95)",
    "{{ sum(kernel.time) | duration }}",
    "{{ metric | number:2 }} of `{{ gpu.name }}`",
    "- -2.5 s",
    "desc",
};

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void RunRows(const Program& program, const TestData& test) {
  if (program.type().kind == Kind::kText) return;
  const std::vector<double> batch = EvaluateNumbers(program, test.data, test.rows);
  for (const RowId row : test.rows) {
    const profgauge::Value one = EvaluateRow(program, test.data, row).value;
    Require(profgauge::IsAbsent(one) ? std::isnan(batch[row])
                                     : batch[row] == profgauge::AsNumber(one, 0),
            "batches agree with rows");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static TestData test;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  if (const auto ast = Parse(text)) {
    const auto again = Parse(Print(*ast));
    Require(again && Dump(*again) == Dump(*ast), "canonical text parses to the same tree");
  }
  if (const auto program = Compile(text, test.schema, Context::kRow)) RunRows(*program, test);
  if (const auto program = Compile(text, test.schema, Context::kGroup)) {
    Evaluate(*program, test.data, test.rows);
    Evaluate(*program, test.data, {});
  }
  if (const auto order = CompileOrder(text, test.schema)) {
    Sorted(*order, test.data, test.rows, 3);
  }
  if (const auto message = CompileMessage(text, test.schema)) {
    RenderMessage(*message, test.data, test.rows);
  }
  return 0;
}

PROFGAUGE_FUZZ_LINES(' ', kKnown)
