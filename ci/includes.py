#!/usr/bin/env python3
"""Headers that use a name of the standard library whose header they do not include themselves. Such a
header compiles only after its neighbors, which the precompiled headers and the units of the build hide.
  ci/includes.py         prints them; exit code 1 where there is one
  ci/includes.py --fix   adds the missing headers
The table has the names that are used here; a name of two headers (std::hash) is in neither row."""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = {  # header: the names after std:: that need it
    "algorithm": "sort|stable_sort|min|max|minmax|clamp|any_of|all_of|none_of|find_if|lower_bound|upper_bound",
    "array": "array",
    "atomic": "atomic|atomic_flag|memory_order_\\w+",
    "bit": "bit_cast|countr_zero|countl_zero|popcount|has_single_bit|bit_width|bit_ceil|endian",
    "charconv": "from_chars|to_chars",
    "chrono": "chrono",
    "cmath": "isfinite|isnan|isinf|sqrt|pow|log2|exp|llround|lround|ceil|floor",
    "compare": "strong_ordering|weak_ordering|partial_ordering",
    "concepts": "same_as|integral|floating_point|convertible_to|invocable|derived_from",
    "condition_variable": "condition_variable",
    "cstddef": "size_t|ptrdiff_t|byte|nullptr_t",
    "cstdint": "u?int(?:8|16|32|64|ptr)_t",
    "cstdio": "FILE",
    "deque": "deque",
    "exception": "exception_ptr|current_exception|rethrow_exception|terminate",
    "filesystem": "filesystem",
    "functional": "function|ref|cref|reference_wrapper|plus|identity",
    "future": "future|async|promise",
    "initializer_list": "initializer_list",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map|multimap",
    "memory": "unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared|enable_shared_from_this|addressof",
    "mutex": "mutex|scoped_lock|lock_guard|unique_lock|once_flag|call_once",
    "optional": "optional|nullopt|make_optional",
    "queue": "queue|priority_queue",
    "ranges": "ranges::(?:views|iota_view|subrange)|views",
    "set": "set|multiset",
    "source_location": "source_location",
    "span": "span|dynamic_extent|as_bytes|as_writable_bytes",
    "stdexcept": "runtime_error|logic_error|out_of_range|invalid_argument",
    "stop_token": "stop_token|stop_source",
    "string": "string|to_string|char_traits",
    "string_view": "string_view",
    "thread": "thread|jthread|this_thread",
    "tuple": "tuple|tie|make_tuple|forward_as_tuple|apply|tuple_size_v|tuple_element_t",
    "type_traits": "(?:is|remove|conditional|enable_if|underlying_type|make_(?:un)?signed|decay)\\w*_[tv]|invoke_result_t|true_type|false_type",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "move|pair|make_pair|forward|exchange|as_const|swap|cmp_\\w+|in_range|declval|index_sequence\\w*|make_index_sequence|integer_sequence|in_place",
    "variant": "variant|visit|monostate|holds_alternative|get_if|variant_size_v|variant_alternative_t",
    "vector": "vector",
}
USES = {header: re.compile(rf"\bstd::(?:{names})\b") for header, names in NAMES.items()}
INCLUDE = re.compile(r"^#include <([\w.]+)>$", re.M)


def missing(text):
    """The standard headers that `text` uses and does not include, in order."""
    code = re.sub(r"//.*|\"(?:\\.|[^\"\\\n])*\"", "", re.sub(r"^#include.*", "", text, flags=re.M))
    included = set(INCLUDE.findall(text))
    return [header for header, use in USES.items() if header not in included and use.search(code)]


def mended(text, headers):
    """`text` with `headers` included: in the block of standard headers, or in one after `#pragma once`."""
    lines = text.split("\n")
    standard = [i for i, line in enumerate(lines) if re.fullmatch(r"#include <[a-z_]+>", line)]
    for header in headers:
        line = f"#include <{header}>"
        after = [i for i in standard if lines[i] < line]
        if standard:
            at = after[-1] + 1 if after else standard[0]
            lines.insert(at, line)
        else:
            once = lines.index("#pragma once")
            at = once + 2
            rest = lines[at:]
            lines[at:] = [line, *([""] if rest and rest[0] else []), *rest]
        standard = sorted([i + (i >= at) for i in standard] + [at])
    return "\n".join(lines)


def main():
    wrong = 0
    for path in sorted(p for top in ("include", "src", "tests") for p in (ROOT / top).rglob("*.h")):
        text = path.read_text()
        if headers := missing(text):
            wrong += 1
            print(f"{path.relative_to(ROOT)} lacks {', '.join(f'<{h}>' for h in headers)}")
            if "--fix" in sys.argv:
                path.write_text(mended(text, headers))
    sys.exit(1 if wrong and "--fix" not in sys.argv else 0)


main()
