"""One small profile of each format that `scrub` copies, in which each name of code and each private text is a word that
occurs nowhere else. Names are put behind those of the fixtures, so that kernels stay of their kind."""
import csv
import json
import shutil
import sqlite3

from support import cases
from unique_names import Names, trace

class Words:
    """`code`: names of code. `private`: what is in no copy."""

    def __init__(self):
        self.code, self.private = [], []

    def name(self, text):
        """The text, and a word behind it."""
        self.code.append(f"qzcode{len(self.code):03d}vx")
        return f"{text}_{self.code[-1]}" if text else self.code[-1]

    def secret(self):
        self.private.append(f"qzprivate{len(self.private):03d}vx")
        return self.private[-1]


def number(value):
    """A whole number in Protocol Buffers' wire format."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def message(*fields):
    """(field, number, text, or bytes of a message)…"""
    out = b""
    for field, value in fields:
        if isinstance(value, int):
            out += number(field << 3) + number(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += number(field << 3 | 2) + number(len(data)) + data
    return out


def kineto(folder, words):
    names = Names()
    path = folder / "input.pt.trace.json"
    path.write_text(json.dumps(trace(names)))
    gone = ("folder", "host", "trace", "key", "value")
    words.private += [name for name in names.all if name.startswith(tuple(f"qz{kind}" for kind in gone))]
    words.code += [name for name in names.all if name not in words.private]
    return path


def pftrace(folder, words):
    base, cleared, needs = 1_700_000_000_000_000_000, 1, 2
    packets = []

    def packet(*fields):
        packets.append(message((1, message(*fields))))

    packet((8, base), (10, 1), (6, message(*((1, message((1, clock), (2, base))) for clock in (6, 1)))))
    process = message((1, 7), (2, words.secret()), (6, words.name("train")))
    packet((60, message((1, 1), (3, process))))
    packet((60, message((1, 2), (5, 1), (4, message((1, 7), (2, 7), (5, words.name("python")))))), (79, 7))
    texts = {2: [words.name("mm"), "cudaLaunchKernel", words.name("gemm"), "ProfilerStep#1"],
             1: ["cpu_op", "cuda_runtime", "user_annotation"], 24: ["Kernel", "Memcpy", "Memset", "Annotation"],
             3: ["Call stack", words.secret()], 29: [words.name("head"), words.secret()], 1001: ["registers_per_thread"]}
    packet((10, 1), (13, cleared), (12, message(*((table, message((1, i + 1), (2, text)))
                                                  for table, all_ in texts.items() for i, text in enumerate(all_)))))

    def slice_of(name, category, start, end, *arguments):
        packet((8, base + start), (10, 1), (13, needs),
               (11, message((9, 1), (11, 2), (10, name), (3, category), *((4, argument) for argument in arguments))))
        packet((8, base + end), (10, 1), (11, message((9, 2), (11, 2))))

    for step in range(4):
        at = step * 10_000
        packet((8, base + at), (10, 1), (13, needs), (11, message((9, 1), (11, 2), (10, 4), (3, 3))))
        slice_of(1, 1, at + 100, at + 200, message((1, 1), (17, 1)), message((1, 2), (17, 2)),
                 message((10, words.secret()), (6, words.secret())))
        slice_of(2, 2, at + 220, at + 230, message((10, "correlation"), (4, 11 + step)))
        extras = [("device id", "0"), ("stream id", "7"), ("correlation", str(11 + step)), ("arch", "sm_90"),
                  (words.secret(), words.secret())]
        packet((8, base + at + 250), (10, 1), (13, needs),
               (53, message((1, 1), (2, 4000), (11, 0), (14, 1), (20, 3),
                            *((6, message((1, key), (2, value))) for key, value in extras))))
        packet((8, base + at + 9_900), (10, 1), (11, message((9, 2), (11, 2))))
    path = folder / "input.pftrace"
    path.write_bytes(b"".join(packets))
    return path


def xplane(folder, words):
    """A GPU and a host, on which a step launches one kernel of a fusion."""
    def plane(name, lines, stats=()):
        events, keys = {}, {}

        def stat(field, key, value):
            key_id = keys.setdefault(key, len(keys) + 1)
            return field, message((1, key_id), (5 if isinstance(value, str) else 3, value))

        rows = []
        for line_id, (line, of) in enumerate(lines):
            made = []
            for event, start, length, more in of:
                event_id = events.setdefault(event, len(events) + 1)
                made.append((4, message((1, event_id), (2, start * 1000), (3, length * 1000),
                                        *(stat(4, key, value) for key, value in more.items()))))
            rows.append((3, message((1, line_id), (2, line), (3, 1000), *made)))
        own = [stat(6, key, value) for key, value in stats]
        tables = [(4, message((1, i), (2, message((1, i), (2, event))))) for event, i in events.items()]
        tables += [(5, message((1, i), (2, message((1, i), (2, key))))) for key, i in keys.items()]
        return 1, message((1, 3), (2, name), *own, *rows, *tables)

    kernel, module, function = words.name("fusion"), words.name("jit_step"), words.name("PjitFunction")
    steps = range(4)
    device = [(kernel, step * 10_000 + 500, 4000,
               {"correlation_id": 7 + step, "hlo_op": kernel, "hlo_module": module, words.secret(): words.secret()})
              for step in steps]
    host = [("train", step * 10_000, 9_000, {"step_num": step}) for step in steps]
    calls = [(function, step * 10_000 + 50, 400, {"source": f"/home/{words.secret()}/{words.name('net')}.py:3"}) for step in steps]
    launches = [("cuLaunchKernel", step * 10_000 + 100, 100, {"correlation_id": 7 + step}) for step in steps]
    space = message(
        plane("/device:GPU:0", [("Stream #13(Compute)", device)],
              [("device_vendor", "Nvidia"), ("core_count", 132), ("memory_size", 1 << 36), (words.secret(), words.secret())]),
        plane("/host:CPU", [(words.name("python"), sorted(host + calls + launches, key=lambda row: (row[1], -row[2])))]),
        (4, words.secret()), (3, f"cannot read /home/{words.secret()}/x"))
    path = folder / "input.xplane.pb"
    path.write_bytes(space)
    return path


def xla_json(folder, words):
    def event(name, start, length, pid, tid, **args):
        return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": start, "dur": length, "args": args}

    kernel = words.name("fusion")
    thread = words.name("worker")
    events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": f"{words.secret()} /device:GPU:0"}},
              {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "/host:CPU"}},
              {"ph": "M", "name": "thread_name", "pid": 1, "tid": 13, "args": {"name": "Stream #13(Compute)"}},
              {"ph": "M", "name": "thread_name", "pid": 2, "tid": 5, "args": {"name": thread}}]
    for step in range(4):
        at = step * 100
        events += [event("train", at, 90, 2, 5, step_num=str(step), **{words.secret(): words.secret()}),
                   event("cuLaunchKernel", at + 1, 2, 2, 5, correlation_id=str(7 + step)),
                   event(kernel, at + 5, 40, 1, 13, correlation_id=str(7 + step), hlo_op=kernel)]
    path = folder / "input.trace.json"
    path.write_text(json.dumps({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True, "host": words.secret()},
                                "traceEvents": events}))
    return path


def database(folder, case):
    path = folder / "input.db"
    base = sqlite3.connect(path)
    base.executescript((cases() / case / "input.sql").read_text())
    return path, base


def rename(base, words, table, column, where="1"):
    for row, text in base.execute(f'select rowid, "{column}" from "{table}" where {where}').fetchall():
        base.execute(f'update "{table}" set "{column}" = ? where rowid = ?', (words.name(text), row))


def rocpd(folder, words):
    path, base = database(folder, "rocpd/steps")
    suffix = next(row[0] for row in base.execute("select name from sqlite_master where name like 'rocpd_string%'"))[12:]
    rename(base, words, f"rocpd_info_kernel_symbol{suffix}", "display_name")
    rename(base, words, f"rocpd_info_kernel_symbol{suffix}", "kernel_name")
    base.execute(f"update rocpd_info_node{suffix} set machine_id = '{words.secret()}', hostname = '{words.secret()}'")
    environment = {"RANK": "0", "WORLD_SIZE": "1", "TOKEN": words.secret(), "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX": ""}
    base.execute(f"update rocpd_info_process{suffix} set command = ?, environment = ?", (words.secret(), json.dumps(environment)))
    for row, text in base.execute(f"select id, extdata from rocpd_event{suffix} where extdata like '%message%'").fetchall():
        value = json.loads(text)
        value.update(message=f"{value['message']} {words.name('')}", other=words.secret())
        base.execute(f"update rocpd_event{suffix} set extdata = ? where id = ?", (json.dumps(value), row))
    base.execute(f"insert into rocpd_string{suffix} (string) values ('{words.secret()}')")
    base.execute(f"create table notes (text text)")
    base.execute(f"insert into notes values ('{words.secret()}')")
    base.commit()
    return path


def nvprof(folder, words):
    path, base = database(folder, "nvprof/training")
    used = " or ".join(f'_id_ in (select "{column}" from {table})' for table, column in (
        ("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "name"), ("CUPTI_ACTIVITY_KIND_MARKER", "name")))
    for row, text in base.execute(f"select _id_, value from StringTable where {used}").fetchall():
        base.execute("update StringTable set value = ? where _id_ = ?", (f"{text} {words.name('')}", row))
    base.execute(f"insert into StringTable (_id_, value) values (9999, '{words.secret()}')")
    base.execute("create table notes (text text)")
    base.execute(f"insert into notes values ('{words.secret()}')")
    base.commit()
    return path


def nsight(folder, words):
    path, base = database(folder, "nsight_systems/operating_system")
    for row, text in base.execute("select rowid, value from StringIds where id in "
                                  "(select demangledName from CUPTI_ACTIVITY_KIND_KERNEL)").fetchall():
        base.execute("update StringIds set value = ? where rowid = ?", (words.name(text), row))
    base.execute(f"insert into StringIds values (999999, '{words.secret()}')")
    base.execute("create table if not exists TARGET_INFO_SYSTEM_ENV (name text, value text)")
    base.execute(f"insert into TARGET_INFO_SYSTEM_ENV values ('HostName', '{words.secret()}')")
    base.commit()
    return path


def rocprofv3(folder, words):
    document = json.loads((cases() / "rocprofv3/steps/input.json").read_text())
    root = document["rocprofiler-sdk-tool"][0]
    root.setdefault("metadata", {}).update(node={"hostname": words.secret()}, command=[words.secret()])
    for symbol in root["kernel_symbols"]:
        for key in ("formatted_kernel_name", "kernel_name"):
            if symbol.get(key):
                symbol[key] = words.name(symbol[key])
    for marker in root["strings"].get("marker_api", []):
        marker["value"] = f"{marker['value']} {words.name('')}"
    root["strings"]["callback_records"] = [words.secret()]
    path = folder / "input_results.json"
    path.write_text(json.dumps(document))
    return path


def ascend(folder, words):
    events = json.loads((cases() / "ascend/step/input.json").read_text())
    for event in events:
        if event["ph"] == "X" and not event["name"].startswith(("ProfilerStep", "aten::")):
            event["name"] = words.name(event["name"])
        if event["ph"] == "X":
            event.setdefault("args", {})[words.secret()] = words.secret()
    path = folder / "trace_view.json"
    path.write_text(json.dumps(events))
    return path


def ascend_csv(folder, words):
    head = ["Step Id", "Device_id", "Stream ID", "Task ID", "Name", "Type", "Accelerator Core", "Start Time(us)", "Duration(us)",
            "Wait Time(us)", "Block Dim", "Input Shapes", "Input Data Types", "Context ID"]
    path = folder / "kernel_details.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(head)
        for i in range(40):
            rows.writerow([i // 10, 0, 2, i, words.name("aclnnMatmul"), "MatMulV2", "AI_CORE", f"{1000 + 20 * i}.5", 18, 2, 16, "64,64;64,64",
                           "DT_BF16;DT_BF16", words.secret()])
    return path


def neuron(folder, words):
    document = json.loads((cases() / "neuron/trn2_two_cores/input.json").read_text())
    for row in document["instruction"]:
        for key in ("layer", "hlo_name"):
            row[key] = words.name(row.get(key) or "layer")
        row["a new column"] = words.secret()
    document["profile_info"] = [{"ntff_filename": f"/home/{words.secret()}/x.ntff", "profile_name": words.secret()}]
    path = folder / "input.json"
    path.write_text("level=info msg=ready\n" + json.dumps(document))
    return path


FORMATS = {make.__name__: make for make in (kineto, pftrace, xplane, xla_json, rocpd, nvprof, nsight, rocprofv3, ascend, ascend_csv,
                                            neuron)}
