#!/usr/bin/env python3
"""How often the gate fails healthy runs and passes slower ones, over seventeen noises of machines.

    gate_campaign.py check PROGRAM                  a short run that holds the bars (test GateCampaign)
    gate_campaign.py table PROGRAM [--before OLD] [--scale X] [--seed N] [--write README]

PROGRAM is tests/tools/gate_judge.cc, OLD the same of an earlier build. Both judge the same runs, of
8, 20 and 100 iterations against 3, 5 and 10 baseline runs, limit +5 %, noise floor 1 %. A comparison
that answers `again` is repeated with one more recording, three at most. --scale 1 is 500 healthy
comparisons a cell, 300 of +20 % and 100 of +8 %, and takes minutes. --write puts the table between
the marks of the file. Needs only the standard library.
"""
import argparse
import math
import pathlib
import random
import subprocess
import sys

CELLS = [(n, runs) for n in (8, 20, 100) for runs in (3, 5, 10)]
MARKS = ("<!-- campaign -->\n", "<!-- end of campaign -->\n")


# ---------------------------------------------------------------- noises
def level(r, sd):
    return 10 * math.exp(r.gauss(0, sd))


def white(r, n, sd):
    return [math.exp(r.gauss(0, sd)) for _ in range(n)]


def scaled(base, *factors):
    return [base * math.prod(f) for f in zip(*factors)]


def normal(sd):
    return lambda r, n, walk: scaled(level(r, 0.007), white(r, n, sd))


def student(r, n, walk):
    base = level(r, 0.007)
    return [base * max(0.5, 1 + 0.015 * r.gauss(0, 1) / math.sqrt(r.expovariate(1))) for _ in range(n)]


def pareto(r, n, walk):
    base = level(r, 0.007)
    return [base * (math.exp(r.gauss(0, 0.01)) + 0.03 * (r.paretovariate(1.6) - 1)) for _ in range(n)]


def two_modes(r, n, walk):
    return scaled(level(r, 0.004) * (1.05 if r.random() < 0.4 else 1), white(r, n, 0.01))


def clocks(r, n, walk):
    slow, states = r.random() < 0.4, []
    for _ in range(n):
        slow ^= r.random() < 1 / 25
        states.append(1.08 if slow else 1)
    return scaled(level(r, 0.004), states, white(r, n, 0.01))


def correlated(r, n, walk):
    x, wave = r.gauss(0, 1), []
    for _ in range(n):
        x = 0.9 * x + math.sqrt(1 - 0.81) * r.gauss(0, 1)
        wave.append(math.exp(0.04 * x))
    return scaled(level(r, 0.005), wave)


def ramp(r, n, walk):
    most, tau = r.uniform(0, 0.1), r.uniform(0.1, 0.7) * n
    return scaled(level(r, 0.005), [1 + most * (1 - math.exp(-i / tau)) for i in range(n)], white(r, n, 0.01))


def apart(r, n, walk):
    return scaled(level(r, 0.03), white(r, n, 0.02))


def warm(r, n, walk):
    length, most = r.randint(0, max(1, int(0.4 * n))), r.uniform(0.3, 2)
    start = [1 + (most * math.exp(-i / max(1, length / 2)) if i < length else 0) for i in range(n)]
    return scaled(level(r, 0.007), white(r, n, 0.02), start)


def periodic(period, factor):
    def run(r, n, walk):
        phase = r.randrange(period)
        return scaled(level(r, 0.007), white(r, n, 0.02),
                      [factor if (i + phase) % period == 0 else 1 for i in range(n)])
    return run


def stalls(r, n, walk):
    return scaled(level(r, 0.007), white(r, n, 0.02), [5 if r.random() < 0.02 else 1 for _ in range(n)])


def bursts(r, n, walk):
    length = max(1, n // 5)
    start = r.randrange(n - length + 1) if r.random() < 0.5 else n
    return scaled(level(r, 0.007), white(r, n, 0.02),
                  [1.3 if start <= i < start + length else 1 for i in range(n)])


def drift(r, n, walk):
    return scaled(10 * math.exp(0.012 * walk), white(r, n, 0.01))


NOISES = {
    "normal 2 %": normal(0.02), "normal 5 %": normal(0.05), "lognormal 12 %": normal(0.12),
    "Student t, 2 degrees": student, "Pareto tail": pareto, "4 of 10 runs 5 % slower": two_modes,
    "clock switches +8 % within": clocks, "AR(1) 0.9, 4 %": correlated, "thermal ramp 0 to 10 %": ramp,
    "runs 3 % apart": apart, "warm-up of 0 to 40 %": warm, "every 10th step +40 %": periodic(10, 1.4),
    "every 25th ×6": periodic(25, 6), "every 50th ×10": periodic(50, 10), "2 % of steps ×5": stalls,
    "bursts +30 % in half of the runs": bursts, "drift 1.2 % a run": drift,
}


# ---------------------------------------------------------------- comparisons
def text_of(run):
    return " ".join(f"{t:.6g}" for t in run)


class Case:
    """One comparison: the baseline, and three recordings of a program that is slower by `change`."""

    def __init__(self, noise, n, runs, change, r):
        walks = [0.0]
        for _ in range(runs + 2):
            walks.append(walks[-1] + r.gauss(0, 1))
        self.base = " / ".join(text_of(noise(r, n, walks[i])) for i in range(runs))
        self.tries = [noise(r, n, walks[runs + i]) for i in range(3)]
        self.change = change

    def line(self, recordings):
        tries = (text_of([t * (1 + self.change) for t in run]) for run in self.tries[:recordings])
        return f"0.05 0.01 0 0|{self.base}|{' / '.join(tries)}"


def ask(program, lines):
    out = subprocess.run([program], input="\n".join(lines) + "\n", text=True, stdout=subprocess.PIPE,
                         check=True).stdout.splitlines()
    assert len(out) == len(lines), f"{len(out)} answers to {len(lines)} comparisons"
    return [dict(word.split("=") for word in line.split()) for line in out]


def exit_of(verdict):
    return {"fail": 1, "open": 3, "again": 3}.get(verdict, 0)


def judged(program, cases):
    """-> exits with one recording, and in the end."""
    answers = [a["verdict"] for a in ask(program, [case.line(1) for case in cases])]
    first = [exit_of(a) for a in answers]
    left = [i for i, a in enumerate(answers) if a == "again"]
    for recordings in (2, 3):
        if not left:
            break
        for i, a in zip(left, ask(program, [cases[i].line(recordings) for i in left])):
            answers[i] = a["verdict"]
        left = [i for i in left if answers[i] == "again"]
    return first, [exit_of(a) for a in answers]


def slowed_by_what_it_finds(program, cases):
    """-> exits of healthy runs that are made as much slower as the text says is found."""
    for case, answer in zip(cases, ask(program, [case.line(1) for case in cases])):
        case.change = float(answer["sees"])
    return judged(program, cases)[1]


def share(exits, code):
    return exits.count(code) / len(exits) if exits else 0.0


def interval(found, of):
    """Wilson's, 95 %."""
    z = 1.96
    p, q = found / of, z * z / of
    middle, half = p + q / 2, z * math.sqrt(p * (1 - p) / of + q / (4 * of))
    return max(0.0, (middle - half) / (1 + q)), (middle + half) / (1 + q)


class Rates:
    """Exits of one noise: by change, kind (before, first, final) and cell."""

    def __init__(self, noise, cells, counts, program, before, r):
        self.exits = {}
        for change, count in counts.items():
            for n, runs in cells:
                cases = [Case(noise, n, runs, change, r) for _ in range(count)]
                first, final = judged(program, cases)
                old = judged(before, cases)[0] if before else []
                self.exits[change, n, runs] = {"before": old, "first": first, "final": final}

    def of(self, change, kind, least_runs=0):
        return [e for (c, _, runs), cell in self.exits.items() if c == change and runs >= least_runs
                for e in cell[kind]]

    def largest_false_fail(self):
        cells = {(n, runs): cell["final"] for (c, n, runs), cell in self.exits.items() if c == 0}
        n, runs = max(cells, key=lambda cell: share(cells[cell], 1))
        found, of = cells[n, runs].count(1), len(cells[n, runs])
        low, high = interval(found, of)
        return f"{100 * found / of:.1f} [{100 * low:.1f}–{100 * high:.1f}] n {n}, K {runs}"


def rates_of(name, seed):
    return random.Random(f"{seed} {name}")


def table(program, before, scale, seed):
    counts = {0: max(1, round(500 * scale)), 0.2: max(1, round(300 * scale)),
              0.08: max(1, round(100 * scale))}
    kinds = (["before"] if before else []) + ["first", "final"]
    heads = ["noise", "healthy: fails", "largest cell, in the end", "healthy: exit 3", "+20 % passes",
             "+20 % fails", "K ≥ 5: +8 % fails", "slowed by the number found"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    sums = {}
    for name, noise in NOISES.items():
        r = rates_of(name, seed)
        rates = Rates(noise, CELLS, counts, program, before, r)

        def cell(change, code, least_runs=0, digits=1):
            values = [100 * share(rates.of(change, kind, least_runs), code) for kind in kinds]
            key = (change, code)
            sums[key] = [a + b for a, b in zip(sums.get(key, [0] * len(kinds)), values)]
            return " → ".join(f"{v:.{digits}f}" for v in values)
        found = [100 * share(slowed_by_what_it_finds(program, [Case(noise, 20, runs, 0, r)
                                                               for _ in range(counts[0.08])]), 1)
                 for runs in (5, 10)]
        lines.append(f"| {name} | {cell(0, 1)} | {rates.largest_false_fail()} | {cell(0, 3)} | {cell(0.2, 0)} | "
                     f"{cell(0.2, 1, digits=0)} | {cell(0.08, 1, 5, digits=0)} | {found[0]:.0f}, {found[1]:.0f} |")
        print(lines[-1], file=sys.stderr, flush=True)
    mean = {key: " → ".join(f"{v / len(NOISES):.2f}" for v in values) for key, values in sums.items()}
    lines.append(f"| mean | {mean[0, 1]} | | {mean[0, 3]} | {mean[0.2, 0]} | {mean[0.2, 1]} | {mean[0.08, 1]} | |")
    return "\n".join(lines) + "\n"


def check(program, seed):
    """Bars on the rates are 1 %; as many of so few comparisons are beyond in 1 of 1000 campaigns."""
    bad, found = [], []
    for name, noise in NOISES.items():
        r = rates_of(name, seed)
        rates = Rates(noise, [(20, 3), (20, 5), (20, 10)], {0: 40, 0.2: 25}, program, None, r)
        seen = slowed_by_what_it_finds(program, [Case(noise, 20, runs, 0, r) for runs in (5, 10) for _ in range(30)])
        found.append(share(seen, 1))
        rows = [("healthy runs that fail", rates.of(0, "final").count(1), 5),
                ("+20 % that passes", rates.of(0.2, "final").count(0), 4),
                ("healthy without a verdict, 5 runs or more", rates.of(0, "final", 5).count(3), 14),
                ("not found though slowed by that much", len(seen) - seen.count(1), 15)]
        bad += [f"{name}: {what}: {count}, at most {most}" for what, count, most in rows if count > most]
    if sum(found) / len(found) < 0.92:
        bad.append(f"{100 * sum(found) / len(found):.0f} of 100 found on average, at least 92")
    print("\n".join(bad + [f"{len(NOISES)} noises, {len(bad)} beyond; {100 * sum(found) / len(found):.0f} of 100 found"]))
    return not bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "table"])
    parser.add_argument("program")
    parser.add_argument("--before")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    if given.what == "check":
        return 0 if check(given.program, given.seed) else 1
    text = table(given.program, given.before, given.scale, given.seed)
    if given.write:
        head, _, rest = given.write.read_text().partition(MARKS[0])
        given.write.write_text(head + MARKS[0] + text + MARKS[1] + rest.partition(MARKS[1])[2])
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
