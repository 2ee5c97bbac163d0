#include "analysis/dlprof/instances.h"

#include <re2/re2.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>
#include <utility>

#include "base/python_literal.h"

namespace profgauge::analysis::dlprof::dlprof {
namespace {

enum class RangeRole : std::uint8_t { kNone, kOp, kBackward };

// Whether it is a marker of PyProf or DLProf: a Python dictionary with the call's module, name and
// arguments, which readers store as the range's inputs.
bool IsMarkedOp(const Profile& profile, std::uint32_t row) {
  const HostTable& host = profile.host;
  return host.kind[row] == HostKind::kOp && host.concrete_inputs[row].valid() &&
         profile.strings[host.concrete_inputs[row]].starts_with("{'mod':");
}

// Whether it is a node of autograd, by its link to forward or its PyTorch name.
bool IsBackward(const Profile& profile, std::uint32_t row) {
  const HostTable& host = profile.host;
  return host.kind[row] == HostKind::kOp &&
         (host.forward[row].valid() ||
          profile.Name(host.name[row]).starts_with("autograd::engine::evaluate_function") ||
          profile.Name(host.name[row]).starts_with("torch::autograd::"));
}

// Returns the role of each range. If the profile has markers, ranges with arguments and backward
// nodes have one; otherwise every operator does.
std::vector<RangeRole> RolesOf(const Profile& profile) {
  const auto rows = static_cast<std::uint32_t>(profile.host.size());
  std::vector<RangeRole> roles(rows, RangeRole::kNone);
  bool has_markers = false;
  for (std::uint32_t row = 0; row < rows && !has_markers; ++row) {
    has_markers = IsMarkedOp(profile, row);
  }
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (IsBackward(profile, row)) {
      roles[row] = RangeRole::kBackward;
    } else if (has_markers ? IsMarkedOp(profile, row) : profile.host.kind[row] == HostKind::kOp) {
      roles[row] = RangeRole::kOp;
    }
  }
  return roles;
}

struct Place {
  std::string path;       // "/module/net::forward/conv2d"
  std::string lines;      // Lines of Python code.
  std::string direction;  // If known.
};

// Converts "/<module>/lambda(2)" to DLProf's form "/module/lambda[2]".
std::string PathOf(std::string_view functions) {
  static const RE2 number(R"(\((\d+)\))");
  std::string path;
  for (const char c : functions) {
    if (c != '<' && c != '>') path += c;
  }
  RE2::GlobalReplace(&path, number, R"([\1])");
  return path;
}

Place ParsePlace(std::string_view text) {
  Place place;
  const auto parsed = ParsePythonLiteral(text);
  if (!parsed) return place;
  if (const PyValue* functions = parsed->Find("funcStack")) place.path = PathOf(functions->text);
  if (const PyValue* direction = parsed->Find("dir")) place.direction = direction->text;
  if (const PyValue* lines = parsed->Find("traceMarker")) {
    for (const PyValue& line : lines->items) {
      place.lines += (place.lines.empty() ? "" : "\n") + line.text;
    }
  }
  return place;
}

// The range's own data, or that of the innermost trace marker around it.
Place PlaceOf(const Profile& profile, std::uint32_t row) {
  const HostTable& host = profile.host;
  if (const StringId own = host.concrete_inputs[row];
      own.valid() && profile.strings[own].find("'funcStack'") != std::string_view::npos) {
    return ParsePlace(profile.strings[own]);
  }
  for (HostId at = host.parent[row]; at.valid(); at = host.parent[at.value]) {
    const StringId text = host.concrete_inputs[at.value];
    if (text.valid() && profile.strings[text].starts_with("{'traceMarker'")) {
      return ParsePlace(profile.strings[text]);
    }
  }
  return {};
}

// "conv2d" for "torch.nn.functional.conv2d", "mm" for "aten::mm"; TensorFlow nodes keep their path.
std::string TypeOf(std::string_view name) {
  const auto dot = name.rfind('.');
  const auto colons = name.rfind("::");
  if (colons != std::string_view::npos) return std::string(name.substr(colons + 2));
  if (dot != std::string_view::npos) return std::string(name.substr(dot + 1));
  const auto slash = name.rfind('/');
  return std::string(slash == std::string_view::npos ? name : name.substr(slash + 1));
}

// The name is the marker's path of functions, or else the range's own name.
Instance ForwardInstance(const Profile& profile, std::uint32_t row) {
  const HostTable& host = profile.host;
  const std::string_view name = profile.Name(host.name[row]);
  Instance instance;
  instance.type = TypeOf(name);
  Place place = PlaceOf(profile, row);
  instance.direction = place.direction.empty() ? "fprop" : std::move(place.direction);
  instance.name = place.path.empty() ? std::string(name) : std::move(place.path);
  instance.stack = std::move(place.lines);
  return instance;
}

class Finder {
 public:
  explicit Finder(const Profile& profile) : profile_(profile), roles_(RolesOf(profile)) {}

  Instances Take() {
    AddRanges();
    NameBackward();
    AddCalls();
    AddOrphans();
    Sort();
    return std::move(found_);
  }

 private:
  // The outermost range with a role is a call; inner ranges belong to it.
  void AddRanges() {
    const HostTable& host = profile_.host;
    of_host_.assign(host.size(), kNoInstance);
    for (std::uint32_t row = 0; row < host.size(); ++row) {
      const HostId parent = host.parent[row];
      if (parent.valid() && of_host_[parent.value] != kNoInstance) {
        of_host_[row] = of_host_[parent.value];
        continue;
      }
      if (roles_[row] == RangeRole::kNone) continue;
      of_host_[row] = static_cast<std::uint32_t>(found_.all.size());
      Instance instance;
      if (roles_[row] == RangeRole::kOp) instance = ForwardInstance(profile_, row);
      instance.host = row;
      instance.time = {host.start[row], host.start[row] + host.duration[row]};
      found_.all.push_back(std::move(instance));
    }
  }

  // A backward node has the name of the op whose gradient it computes.
  void NameBackward() {
    const HostTable& host = profile_.host;
    for (Instance& instance : found_.all) {
      if (roles_[instance.host] != RangeRole::kBackward) continue;
      instance.direction = "bprop";
      const HostId forward = host.forward[instance.host];
      const std::uint32_t origin = forward.valid() ? of_host_[forward.value] : kNoInstance;
      if (origin != kNoInstance && found_.all[origin].direction == "fprop") {
        instance.name = found_.all[origin].name;
        instance.type = found_.all[origin].type;
        instance.stack = found_.all[origin].stack;
      } else {
        instance.name = profile_.Name(host.name[instance.host]);
        const auto blank = instance.name.rfind(' ');
        instance.type = TypeOf(
            std::string_view(instance.name).substr(blank == std::string::npos ? 0 : blank + 1));
      }
    }
  }

  // A nested call (the driver's inside the runtime's) is part of the outer one.
  void AddCalls() {
    const ApiTable& api = profile_.api;
    found_.of_api.assign(api.size(), kNoInstance);
    ThreadId thread;
    Ns covered = 0;
    std::uint32_t outer = kNoInstance;
    for (std::uint32_t row = 0; row < api.size(); ++row) {
      const Ns end = api.start[row] + api.duration[row];
      if (api.op[row].valid() && of_host_[api.op[row].value] != kNoInstance) {
        found_.of_api[row] = of_host_[api.op[row].value];
        continue;
      }
      if (api.thread[row] != thread || end > covered || outer == kNoInstance) {
        thread = api.thread[row];
        covered = end;
        outer = static_cast<std::uint32_t>(found_.all.size());
        Instance instance;
        instance.api = row;
        instance.time = {api.start[row], end};
        instance.type = SymbolOf(profile_, api.name[row]);
        instance.name = "unassociated_" + instance.type;
        instance.unassociated = true;
        found_.all.push_back(std::move(instance));
      }
      found_.of_api[row] = outer;
    }
  }

  // Adds a call of length 0 for device work without a recorded call.
  void AddOrphans() {
    const DeviceTable& device = profile_.device;
    found_.of_device.assign(device.size(), kNoInstance);
    for (std::uint32_t row = 0; row < device.size(); ++row) {
      if (device.launch[row].valid()) {
        found_.of_device[row] = found_.of_api[device.launch[row].value];
        continue;
      }
      found_.of_device[row] = static_cast<std::uint32_t>(found_.all.size());
      Instance instance;
      instance.time = {device.start[row], device.start[row]};
      instance.type = "unassociated_device_work";
      instance.name = instance.type;
      instance.unassociated = true;
      found_.all.push_back(std::move(instance));
    }
  }

  // Sorts instances by start, stably, and updates all indices.
  void Sort() {
    std::vector<std::uint32_t> order(found_.all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return found_.all[a].time.start < found_.all[b].time.start;
    });
    std::vector<std::uint32_t> position(order.size());
    std::vector<Instance> sorted;
    sorted.reserve(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      position[order[i]] = i;
      sorted.push_back(std::move(found_.all[order[i]]));
    }
    found_.all = std::move(sorted);
    for (std::uint32_t& instance : found_.of_api) instance = position[instance];
    for (std::uint32_t& instance : found_.of_device) instance = position[instance];
  }

  const Profile& profile_;
  std::vector<RangeRole> roles_;
  std::vector<std::uint32_t> of_host_;
  Instances found_;
};

}  // namespace

Instances FindInstances(const Profile& profile) { return Finder(profile).Take(); }

std::string_view SymbolOf(const Profile& profile, StringId call) {
  for (const auto& [name, recorded] : profile.api_symbols) {
    if (name == call) return profile.strings[recorded];
  }
  return profile.Name(call);
}

}  // namespace profgauge::analysis::dlprof::dlprof
