#include "rules/rule_run.h"

#include <algorithm>

namespace profgauge::rules {
namespace {

/// The slots that the rule's expressions name, in the order in which they are evaluated.
std::vector<expr::Slot> SlotsOf(const CompiledRule& rule) {
  std::vector<expr::Slot> slots;
  const auto add = [&slots](const expr::Program& program) {
    for (const expr::Slot slot : program.Fields()) {
      if (std::find(slots.begin(), slots.end(), slot) == slots.end()) slots.push_back(slot);
    }
  };
  if (rule.where) add(*rule.where);
  for (const CompiledRule::Let& let : rule.lets) add(let.value);
  if (rule.when) add(*rule.when);
  if (rule.metric) add(*rule.metric);
  for (const CompiledRule::Limit& limit : rule.limits) add(limit.value);
  if (rule.sure_when) add(*rule.sure_when);
  if (rule.gain) add(*rule.gain);
  if (rule.gain_at_most) add(*rule.gain_at_most);
  return slots;
}

bool Is(Named which, Binding::Kind kind) {
  switch (kind) {
    case Binding::Kind::kMetric:
    case Binding::Kind::kFact:
    case Binding::Kind::kCommon:
      return which == Named::kOfRun;
    case Binding::Kind::kColumn:
    case Binding::Kind::kJoined:
      return which == Named::kOfGroup;
    case Binding::Kind::kParam:
    case Binding::Kind::kComputed:
      break;
  }
  return false;
}

}  // namespace

std::string ShownOutcome(const expr::Outcome& outcome, const expr::Type& type,
                         const expr::Display& display) {
  if (!IsAbsent(outcome.value)) return expr::Format(outcome.value, type, display);
  return outcome.absent_because.empty() ? "absent" : "absent: " + outcome.absent_because;
}

void AddNames(const CompiledRule& rule, const expr::Data& data, Named which,
              std::vector<TraceValue>& trace) {
  for (const expr::Slot slot : SlotsOf(rule)) {
    const expr::Field& field = rule.names.schema[slot];
    if (field.scope == expr::Scope::kRow || !Is(which, rule.names.bindings[slot].kind)) continue;
    const expr::Source& source = data[slot];
    trace.push_back({field.name, "",
                     ShownOutcome({source.value, source.absent_because, field.name},
                                  expr::TypeOf(field.unit), {})});
  }
}

}  // namespace profgauge::rules
