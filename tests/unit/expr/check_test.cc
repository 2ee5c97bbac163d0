#include "expr/program.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "fixture.h"

namespace profgauge::expr {
namespace {

struct Typed {
  std::string_view text;
  Context context;
  std::string_view type;
};
constexpr Context kRow = Context::kRow, kGroup = Context::kGroup;
constexpr Typed kTyped[] = {
    {"kernel.time", kRow, "time"},
    {"kernel.name", kRow, "string"},
    {"kernel.tensor_core_eligible", kRow, "true or false"},
    {"kernel.time / profile.iterations", kRow, "time"},
    {"kernel.time / profile.kernel_time", kRow, "number"},
    {"kernel.bytes / kernel.time", kRow, "bandwidth"},
    {"kernel.bytes / kernel.time > 12 GB/s", kRow, "true or false"},
    {"kernel.bandwidth * kernel.time", kRow, "bytes"},
    {"kernel.bytes / kernel.bandwidth", kRow, "time"},
    {"flops.achieved * kernel.time", kRow, "operations"},
    {"kernel.time * kernel.time", kRow, "time^2"},
    {"1 / kernel.time", kRow, "time^-1"},
    {"kernel.bytes * kernel.time", kRow, "bytes*time"},
    {"50% + kernel.calls", kRow, "number"},
    {"-kernel.time", kRow, "time"},
    {"ceil(kernel.calls / 8) * 8", kRow, "number"},
    {"greatest(kernel.time, 5 us)", kRow, "time"},
    {"if(kernel.is_collective, kernel.time, 0 ns)", kRow, "time"},
    {"known(kernel.op)", kRow, "true or false"},
    {"kernel.is_collective == kernel.tensor_core_eligible", kRow, "true or false"},
    {"sum(kernel.time)", kGroup, "time"},
    {"sum(kernel.time, kernel.is_collective) / profile.kernel_time", kGroup, "number"},
    {"count()", kGroup, "number"},
    {"count(kernel.calls > 3)", kGroup, "number"},
    {"percentile(kernel.time, 95)", kGroup, "time"},
    {"any(kernel.is_collective)", kGroup, "true or false"},
    {"distinct(kernel.name)", kGroup, "number"},
    {"at_max(kernel.name, kernel.time)", kGroup, "string"},
    {"if(profile.ranks > 1, 'ranks', 'rank')", kGroup, "string"},
    {"if(kernel.is_collective, kernel.name, 'x')", kRow, "string"},
    {"kernel.name + ', ' + kernel.op", kRow, "string"},
    {"kernel.time default 0 ns", kRow, "time"},
    {"gpu.idle.mean default 0%", kGroup, "number"},
    {"max(kernel.time) / median(kernel.time) - 1", kGroup, "number"},
    {"gpu.idle.mean > 15%", kGroup, "true or false"},
    {"gpu.name contains 'V100'", kGroup, "true or false"},
    {"wait / count()", kGroup, "time"},
};

TEST(Check, Types) {
  Schema schema = TestSchema();
  for (const Typed& typed : kTyped) {
    const auto program = Compile(typed.text, schema, typed.context);
    ASSERT_TRUE(program) << typed.text << ": " << program.error().front().message;
    EXPECT_EQ(TypeName(program->type()), typed.type) << typed.text;
  }
}

TEST(Check, ShownUnits) {
  Schema schema = TestSchema();
  const auto unit = [&](std::string_view text) {
    return Compile(text, schema, kGroup)->type().unit;
  };
  EXPECT_EQ(unit("gpu.idle.mean"), Unit::kShare);
  EXPECT_EQ(unit("sum(kernel.calls)"), Unit::kCount);
  EXPECT_EQ(unit("mean(kernel.calls)"), Unit::kNumber);
  EXPECT_EQ(unit("sum(kernel.time) / profile.iterations"), Unit::kTime);
  EXPECT_EQ(unit("sum(kernel.time) / profile.kernel_time"), Unit::kNumber);
  EXPECT_EQ(unit("sum(kernel.bytes) / sum(kernel.time)"), Unit::kBandwidth);
  EXPECT_EQ(unit("gpu.idle.mean + 5%"), Unit::kShare);
  EXPECT_EQ(unit("gpu.idle.mean - 1"), Unit::kNumber);
}

struct CheckFailure {
  std::string_view text;
  Context context;
  std::string_view shown;
};
constexpr CheckFailure kCheckFailures[] = {
    {"kernel.tim > 5 us", kRow,
     "error: unknown field `kernel.tim`\n"
     " --> rules.yaml:1:1\n"
     "  |\n"
     "1 | kernel.tim > 5 us\n"
     "  | ^^^^^^^^^^\n"
     "  help: did you mean `kernel.time`? fields of `kernel`: name, op, time, mean, calls, bytes, "
     "bandwidth, occupancy, tensor_core_eligible, uses_tensor_core, is_collective   "
     "[expr/unknown-field]\n"},
    {"kernel.time > 5%", kRow,
     "error: `>` compares time with number\n"
     " --> rules.yaml:1:1\n"
     "  |\n"
     "1 | kernel.time > 5%\n"
     "  | ^^^^^^^^^^^^^^^^   [expr/type]\n"},
    {"kernel.time > 5", kRow,
     "error: `>` compares time with number\n"
     " --> rules.yaml:1:1\n"
     "  |\n"
     "1 | kernel.time > 5\n"
     "  | ^^^^^^^^^^^^^^^\n"
     "  help: give it a unit, such as `5 us`   [expr/type]\n"},
    {"sum(kernel.time) > 5 us", kRow,
     "error: `sum` needs all rows, but this expression is evaluated per row\n"
     " --> rules.yaml:1:1\n"
     "  |\n"
     "1 | sum(kernel.time) > 5 us\n"
     "  | ^^^\n"
     "  help: aggregates are allowed in `let`, `when`, `metric`, `gain` and `message`   "
     "[expr/context]\n"},
    {"kernel.name == 3", kRow,
     "error: `==` compares string with number\n"
     " --> rules.yaml:1:1\n"
     "  |\n"
     "1 | kernel.name == 3\n"
     "  | ^^^^^^^^^^^^^^^^   [expr/type]\n"},
    {"1 + kernel.time > 5 us", kGroup,
     "error: `kernel.time` has one value per row, but this expression covers all rows\n"
     " --> rules.yaml:1:5\n"
     "  |\n"
     "1 | 1 + kernel.time > 5 us\n"
     "  |     ^^^^^^^^^^^\n"
     "  help: wrap it in an aggregate, such as `sum(kernel.time)`   [expr/context]\n"},
};

TEST(Check, WholeErrorTexts) {
  Schema schema = TestSchema();
  for (const CheckFailure& wrong : kCheckFailures) {
    const auto program = Compile(wrong.text, schema, wrong.context);
    ASSERT_FALSE(program) << wrong.text;
    ASSERT_EQ(program.error().size(), 1u) << wrong.text;
    Error error = program.error().front();
    error.where.file = "rules.yaml";
    error.where.line = 1;
    error.where.column = static_cast<std::uint32_t>(error.where.offset) + 1;
    error.where.has_offset = false;
    std::string shown = RenderDiagnostic(error, wrong.text, false);
    // Without notes the code follows the message.
    if (error.notes.empty()) {
      const std::string code = "   [" + error.code + "]";
      shown.erase(shown.find(code), code.size());
      shown.insert(shown.size() - 1, code);
    }
    EXPECT_EQ(shown, wrong.shown) << wrong.text;
  }
}

struct Refused {
  std::string_view text;
  Context context;
  std::string_view errors;  ///< "offset+length: message", joined by " / ".
};
constexpr Refused kRefused[] = {
    {"kernel.time + kernel.bytes", kRow, "0+26: `+` cannot combine time with bytes"},
    {"kernel.time * kernel.name", kRow, "0+25: `*` cannot combine time with string"},
    {"kernel.name < 'a'", kRow, "0+17: `<` compares numbers, found string"},
    {"not kernel.time", kRow, "4+11: `not` needs true or false, found time"},
    {"kernel.is_collective and kernel.calls", kRow,
     "25+12: `and` needs true or false, found number"},
    {"-kernel.name", kRow, "0+12: `-` needs a number, found string"},
    {"kernel.name in ['a', 3]", kRow, "21+1: `in` looks for string in a list with number"},
    {"kernel.time contains 'a'", kRow, "0+11: `contains` needs strings, found time"},
    {"kernel.name matches kernel.op", kRow,
     "20+9: `matches` needs its pattern written out, so that it can be checked now"},
    {"kernel.name matches '('", kRow, "20+3: not a regular expression: missing ): ("},
    {"kernel.name matches 'a{1000}{1000}'", kRow,
     "20+15: not a regular expression: bad repetition operator: {1000}{1000}"},
    {"summ(kernel.time)", kGroup, "0+4: unknown function `summ`"},
    {"sum()", kGroup, "0+5: `sum` is called as `sum(x [, condition])`"},
    {"sum(kernel.name)", kGroup, "4+11: `sum` needs a number here, found string"},
    {"sum(kernel.time, kernel.calls)", kGroup,
     "17+12: `sum` needs true or false here, found number"},
    {"sum(sum(kernel.time))", kGroup, "4+3: `sum` is inside another aggregate"},
    {"sum(profile.kernel_time)", kGroup,
     "4+19: `sum` needs a field of the rows, and this is the same in every row"},
    {"percentile(kernel.time, 101)", kGroup,
     "24+3: `percentile` needs a number from 0 to 100 here"},
    {"percentile(kernel.time, profile.ranks)", kGroup,
     "24+13: `percentile` needs a number from 0 to 100 here"},
    {"if(true, 1 us, 2 B)", kGroup, "15+3: `if` cannot choose between time and bytes"},
    {"kernel.name default 3", kRow, "0+21: `default` cannot choose between string and number"},
    {"kernel.time default 3", kRow, "0+21: `default` cannot choose between time and number"},
    {"kernel.time * kernel.time * kernel.time * kernel.time * kernel.time", kRow,
     "0+67: time^4 * time has no sensible unit"},
    // All errors of an expression together, and no consequence of another.
    {"kernel.tim > 5 us and kernel.name > 3 or $limit == 2", kRow,
     "0+10: unknown field `kernel.tim` / 22+15: `>` compares string with number / 41+6: unknown "
     "parameter `$limit`"},
};

TEST(Check, RefusesAndSaysWhy) {
  Schema schema = TestSchema();
  for (const Refused& refused : kRefused) {
    const auto program = Compile(refused.text, schema, refused.context);
    ASSERT_FALSE(program) << refused.text;
    std::string errors;
    for (const Error& error : program.error()) {
      errors += (errors.empty() ? "" : " / ") + std::to_string(error.where.offset) + "+" +
                std::to_string(error.where.length) + ": " + error.message;
    }
    EXPECT_EQ(errors, refused.errors) << refused.text;
  }
}

TEST(Check, HelpNamesExistingFields) {
  Schema schema = TestSchema();
  const auto note = [&](std::string_view text) {
    return Compile(text, schema, kGroup).error().front().notes.front();
  };
  EXPECT_EQ(note("$min_kernel_tim > 1 us"),
            "help: did you mean `$min_kernel_time`? parameters: $min_kernel_time");
  EXPECT_EQ(note("summ(kernel.time)"), "help: did you mean `sum`?");
  EXPECT_EQ(
      note("frobnicate(1)"),
      "help: functions are sum, mean, median, min, max, count, percentile, any, all, "
      "distinct, at_max, abs, ceil, floor, least, greatest, if, known, greatest_known, plural");
  EXPECT_EQ(note("sum(profile.ranks)"), "help: rows are `kernel`");
}

TEST(Check, WantedTypes) {
  Schema schema = TestSchema();
  EXPECT_EQ(Compile("kernel.time", schema, kRow, Want::kCondition).error().front().message,
            "expected a condition, found time");
  EXPECT_EQ(Compile("kernel.name", schema, kRow, Want::kNumber).error().front().message,
            "expected a number, found string");
  EXPECT_TRUE(CompileCondition("gpu.idle.mean > 15% and profile.ranks >= 2", schema));
  EXPECT_FALSE(CompileCondition("gpu.idle.mean", schema));
}

TEST(Check, TakesFieldsWhenNamed) {
  Schema schema;
  schema.Add("gpu.idle", Unit::kTime, Scope::kGroup);
  schema.SetSource({[](std::string_view name) -> std::optional<Field> {
                      if (name == "gpu.idle") return Field{"gpu.idle", Unit::kShare};
                      if (name == "gpu.kernels") return Field{"gpu.kernels", Unit::kCount};
                      return std::nullopt;
                    },
                    [] {
                      return std::vector<std::string>{"gpu.idle", "gpu.kernels"};
                    }});
  EXPECT_EQ(schema.size(), 1U);
  const auto program = Compile("gpu.idle > 1 ms and gpu.kernels > 3", schema, kGroup);
  ASSERT_TRUE(program) << "what was added wins against the source";
  ASSERT_EQ(schema.size(), 2U);
  EXPECT_EQ(schema[1].name, "gpu.kernels");
  EXPECT_TRUE(Compile("gpu.kernels > 4", schema, kGroup));
  EXPECT_EQ(schema.size(), 2U) << "each once";
  const auto wrong = Compile("gpu.kernel", schema, kGroup);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(
      wrong.error().front().notes,
      std::vector<std::string>{"help: did you mean `gpu.kernels`? fields of `gpu`: idle, kernels"});
  EXPECT_EQ(schema.Names(), (std::vector<std::string>{"gpu.idle", "gpu.kernels"}));
}

TEST(Check, ExpressionsOfTheDesignPage) {
  Schema schema = TestSchema();
  for (const auto& [name, unit] :
       std::initializer_list<std::pair<const char*, Unit>>{{"kernel.exposed_time", Unit::kTime},
                                                           {"rank.compute_time", Unit::kTime},
                                                           {"iteration.index", Unit::kNumber},
                                                           {"iteration.dataloader", Unit::kTime},
                                                           {"iteration.duration", Unit::kTime}}) {
    schema.Add(name, unit, Scope::kRow);
  }
  for (const auto& [name, unit] :
       std::initializer_list<std::pair<const char*, Unit>>{{"rank.id", Unit::kNumber},
                                                           {"rank.iteration_time", Unit::kTime},
                                                           {"rank.iterations", Unit::kCount},
                                                           {"gpu.idle", Unit::kShare},
                                                           {"gpu.kernels", Unit::kCount},
                                                           {"total", Unit::kTime},
                                                           {"$warmup", Unit::kNumber}}) {
    schema.Add(name, unit, Scope::kGroup);
  }
  for (const std::string_view text :
       {"kernel.tensor_core_eligible and kernel.uses_tensor_core == 'no'\n and kernel.mean >= "
        "$min_kernel_time",
        "kernel.time / profile.iterations", "kernel.is_collective", "iteration.index >= $warmup",
        "kernel.mean < 8 us and kernel.name not matches '^(nccl|Memcpy|Memset)'"}) {
    EXPECT_TRUE(Compile(text, schema, kRow)) << text;
  }
  for (const std::string_view text :
       {"sum(kernel.time) / profile.kernel_time",
        "sum(kernel.time) * (1 - 1 / 4) / profile.iterations",
        "sum(kernel.exposed_time) / rank.iteration_time",
        "sum(kernel.exposed_time) / rank.iterations", "profile.ranks >= 2",
        "max(rank.compute_time) / median(rank.compute_time) - 1", "sum(iteration.dataloader)",
        "wait / total", "wait / count()", "gpu.idle > 15%", "sum(kernel.calls) / gpu.kernels",
        "percentile(iteration.dataloader, 95)", "rank.id == 7"}) {
    EXPECT_TRUE(Compile(text, schema, kGroup)) << text;
  }
}

}  // namespace
}  // namespace profgauge::expr
