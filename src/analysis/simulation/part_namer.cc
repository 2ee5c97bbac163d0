#include "analysis/simulation/part_namer.h"

#include <cstdint>

namespace profgauge::analysis::simulation {

PartIds PartNamer::IdsOf(const PathSegment& segment) const {
  PartIds part;
  part.kind = segment.kind;
  if (IsUnexplained(segment)) return part;
  if (segment.step < graph_.device_steps()) {
    NameDevice(graph_.OwnerOf(segment.step).row, segment, part);
  } else if (segment.edge == PathEdge::kThread) {
    part.said = PartLabel::kBetweenThreads;
  } else {
    const bool is_known = segment.edge == PathEdge::kProgram;
    NameHost(is_known ? segment.in : InnermostAt(graph_, segment.step), part);
  }
  return part;
}

NamedPart PartNamer::TextsOf(const PartIds& ids) const {
  NamedPart part{ids.kind, NameOf(ids), profile_.Name(ids.op), profile_.Name(ids.module), {}};
  if (ids.tells_tensor_core) part.tensor_core = classify::TriName(ids.tensor_core);
  return part;
}

void PartNamer::SetName(StringId name, PartIds& part) const {
  part.said = PartLabel::kRecorded;
  part.name = name;
}

std::string_view PartNamer::NameOf(const PartIds& ids) const {
  switch (ids.said) {
    case PartLabel::kRecorded:
      return profile_.Name(ids.name);
    case PartLabel::kBetweenOps:
      return "(nothing recorded)";
    case PartLabel::kBetweenThreads:
      return "(from thread to thread)";
    case PartLabel::kNextOnStream:
      return "(next on its stream)";
    case PartLabel::kOtherStream:
      return "(waits for another stream)";
    case PartLabel::kNotExplained:
      break;
  }
  return "(nothing recorded explains it)";
}

void PartNamer::SetOp(HostId op, PartIds& part) const {
  if (!op.valid()) return;
  part.op = profile_.host.name[op.value];
  if (!modules_.empty()) part.module = modules_[op.value];
}

void PartNamer::NameDevice(std::uint32_t row, const PathSegment& segment, PartIds& part) const {
  const DeviceTable& device = profile_.device;
  SetOp(device.op[row], part);
  switch (segment.edge) {
    case PathEdge::kLaunch:
      return SetName(profile_.api.name[device.launch[row].value], part);
    case PathEdge::kStream:
      part.said = PartLabel::kNextOnStream;
      return;
    case PathEdge::kEvent:
      part.said = PartLabel::kOtherStream;
      return;
    default:
      SetName(device.name[row], part);
      part.tells_tensor_core = segment.kind == PathKind::kKernel;
      if (part.tells_tensor_core) part.tensor_core = graph_.rank().classes[row].tensor_core;
  }
}

void PartNamer::NameHost(PathOwner in, PartIds& part) const {
  if (in.table == PathTable::kApi) {
    SetName(profile_.api.name[in.row], part);
    return SetOp(profile_.api.op[in.row], part);
  }
  if (in.row == PathGraph::kNone || profile_.host.kind[in.row] == HostKind::kIterationMarker) {
    part.said = PartLabel::kBetweenOps;
    return;
  }
  SetName(profile_.host.name[in.row], part);
  if (!modules_.empty()) part.module = modules_[in.row];
}

}  // namespace profgauge::analysis::simulation
