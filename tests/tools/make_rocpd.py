#!/usr/bin/env python3
"""Writes a rocpd database as rocprofv3 does (schema 3), to measure reading with: a HIP call launches
each kernel, a roctx range holds ten, a step a thousand. Same arguments, same rows.

  make_rocpd.py FILE_results.db KERNELS [RANK WORLD_SIZE]
"""
import json
import sqlite3
import sys

SUFFIX = "_00006409_00d1_70d1_a5cb_b5ab88214544"
TABLES = {
    "metadata": "id integer primary key, tag text, value text",
    "string": "id integer primary key, guid text, string text",
    "info_node": "id integer primary key, guid text, machine_id text, hostname text",
    "info_process": "id integer primary key, guid text, nid integer, ppid integer, pid integer, "
                    "command text, environment text, extdata text",
    "info_thread": "id integer primary key, guid text, nid integer, pid integer, tid integer",
    "info_agent": "id integer primary key, guid text, nid integer, pid integer, type text, "
                  "absolute_index integer, type_index integer, name text, product_name text, "
                  "extdata text",
    "info_kernel_symbol": "id integer primary key, guid text, nid integer, pid integer, "
                          "kernel_name text, display_name text, arch_vgpr_count integer",
    "event": "id integer primary key autoincrement, guid text, category_id integer, "
             "stack_id integer, parent_stack_id integer, correlation_id integer, extdata text",
    "region": "id integer primary key autoincrement, guid text, nid integer, pid integer, "
              "tid integer, start bigint, end bigint, name_id integer, event_id integer",
    "kernel_dispatch": "id integer primary key autoincrement, guid text, nid integer, pid integer, "
                       "tid integer, agent_id integer, kernel_id integer, dispatch_id integer, "
                       "queue_id integer, stream_id integer, start bigint, end bigint, "
                       "private_segment_size integer, group_segment_size integer, "
                       "workgroup_size_x integer, workgroup_size_y integer, "
                       "workgroup_size_z integer, grid_size_x integer, grid_size_y integer, "
                       "grid_size_z integer, event_id integer",
}
STRINGS = ["HIP_RUNTIME_API_EXT", "KERNEL_DISPATCH", "MARKER_CORE_RANGE_API", "hipLaunchKernel",
           "roctxThreadRangeA"]
GUID = SUFFIX[1:].replace("_", "-")
KERNELS = 200


def rows(kernels, pid):
    """Events, regions and dispatches, in the order of time."""
    for i in range(kernels):
        at = 1_000_000_000 + i * 10_000
        for every, name in ((1000, "step %d"), (10, "aten::op%d, seq = %d")):
            if i % every:
                continue
            text = name % (i // 1000) if every == 1000 else name % (i // 10 % 100, i // 10)
            yield ("event", (GUID, 3, 0, 0, 0, json.dumps({"message": text})),
                   ("region", (GUID, 1, pid, pid, at, at + every * 9_990, 5)))
        yield ("event", (GUID, 1, i + 1, 0, i + 1, "{}"),
               ("region", (GUID, 1, pid, pid, at + 1_000, at + 4_000, 4)))
        start = at + 6_000
        yield ("event", (GUID, 2, i + 1, 0, i + 1, "{}"),
               ("kernel_dispatch", (GUID, 1, pid, pid, 1, 1 + i % KERNELS, i, 0, 1, start,
                                    start + 2_000 + i % 7 * 300, 0, 0, 256, 1, 1,
                                    256 * (1 + i % 64), 1, 1)))


def main():
    path, kernels = sys.argv[1], int(sys.argv[2])
    rank, world = (sys.argv[3:5] + ["", ""])[:2]
    pid = 41001 + int(rank or 0)
    environment = {"RANK": rank, "WORLD_SIZE": world} if rank else {}
    suffix = SUFFIX[:-4] + "%04x" % (0x4544 + int(rank or 0))
    base = sqlite3.connect(path)
    base.execute("pragma journal_mode = off")
    base.execute("pragma synchronous = off")
    for table, columns in TABLES.items():
        base.execute(f"create table rocpd_{table}{suffix} ({columns})")

    def insert(table, names, values):
        marks = ", ".join("?" * len(names.split(", ")))
        base.executemany(f"insert into rocpd_{table}{suffix} ({names}) values ({marks})", values)

    insert("metadata", "tag, value", [("schema_version", "3"), ("uuid", suffix), ("guid", GUID)])
    insert("string", "guid, string", [(GUID, text) for text in STRINGS])
    insert("info_node", "id, guid, machine_id, hostname", [(1, GUID, "m", "node")])
    insert("info_process", "id, guid, nid, ppid, pid, command, environment, extdata",
           [(pid, GUID, 1, 1, pid, "python3", json.dumps(environment), "{}")])
    insert("info_thread", "id, guid, nid, pid, tid", [(pid, GUID, 1, pid, pid)])
    insert("info_agent", "id, guid, nid, pid, type, absolute_index, type_index, name, product_name, "
           "extdata", [(1, GUID, 1, pid, "GPU", 1, int(rank or 0), "gfx942", "AMD Instinct MI300X",
                        json.dumps({"cu_count": 304, "wave_front_size": 64}))])
    insert("info_kernel_symbol", "id, guid, nid, pid, kernel_name, display_name, arch_vgpr_count",
           [(i + 1, GUID, 1, pid, f"_Z{i}", f"void kernel_{i}<float>(float*)", 32)
            for i in range(KERNELS)])
    names = {"region": "guid, nid, pid, tid, start, end, name_id, event_id",
             "kernel_dispatch": "guid, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, "
                                "stream_id, start, end, private_segment_size, group_segment_size, "
                                "workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, "
                                "grid_size_y, grid_size_z, event_id"}
    events, others, count = [], {"region": [], "kernel_dispatch": []}, 0

    def flush():
        insert("event", "guid, category_id, stack_id, parent_stack_id, correlation_id, extdata",
               events)
        events.clear()
        for table, values in others.items():
            insert(table, names[table], values)
            values.clear()

    for _, event, (table, values) in rows(kernels, pid):
        count += 1
        events.append(event)
        others[table].append(values + (count,))
        if len(events) == 100_000:
            flush()
    flush()
    base.commit()


main()
