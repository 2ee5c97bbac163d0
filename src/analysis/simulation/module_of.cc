#include "analysis/simulation/module_of.h"

#include <algorithm>

namespace profgauge::analysis::simulation {

std::vector<StringId> ModulesOfHost(const Profile& profile) {
  const PythonTable& python = profile.python;
  const HostTable& host = profile.host;
  if (std::none_of(python.module_id.begin(), python.module_id.end(),
                   [](std::int64_t id) { return id >= 0; })) {
    return {};
  }
  // A module that runs at the current time, in the merge of the two tables, which are sorted alike:
  // O(host rows + frames). The list `open` has the innermost module last.
  struct Open {
    Ns end;
    StringId name;
  };
  std::vector<StringId> modules(host.size());
  std::vector<Open> open;
  std::uint32_t frame = 0;
  ThreadId thread;
  for (std::uint32_t row = 0; row < host.size(); ++row) {  // Both tables by thread, then start.
    if (host.thread[row] != thread) open.clear();
    thread = host.thread[row];
    const Ns start = host.start[row];
    for (; frame < python.size(); ++frame) {
      const bool before = python.thread[frame] < thread ||
                          (python.thread[frame] == thread && python.start[frame] <= start);
      if (!before) break;
      if (python.thread[frame] != thread || python.module_id[frame] < 0) continue;
      while (!open.empty() && open.back().end <= python.start[frame]) open.pop_back();
      open.push_back({python.start[frame] + python.duration[frame], python.name[frame]});
    }
    while (!open.empty() && open.back().end <= start) open.pop_back();
    if (!open.empty()) modules[row] = open.back().name;
  }
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId forward = host.forward[row];
    if (!modules[row].valid() && forward.valid()) modules[row] = modules[forward.value];
  }
  return modules;
}

}  // namespace profgauge::analysis::simulation
