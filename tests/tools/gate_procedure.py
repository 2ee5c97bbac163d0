#!/usr/bin/env python3
"""The gate's procedure on times in pure Python: the typical iteration and the total.

The second opinion on src/gate/change.cc, estimate.cc, total.cc and repeat.cc, written before them and from
the same page of rules (rules/README.md, "How runs are compared"). Needs only the standard library.

    gate_procedure.py check PROGRAM [--count N]   N random comparisons by both, alike to 1e-9
    gate_procedure.py judge                       lines as PROGRAM reads them, from standard input

PROGRAM (tests/tools/gate_judge.cc) reads a comparison a line,
    LIMIT NOISE_FLOOR CERTAIN MIN_ABS | run / run | run / run
baseline first, a run being its times in order; and answers with a line of name=value.

Pinned here, for every implementation: draws come from SplitMix64 seeded with (N << 32) + N_c; each
of 4000 draws is a partial Fisher-Yates over the values that the draw before left, of as many as the
smaller side has: j = i + ((next >> 32) * (N - i) >> 32). The values are those of both sides, sorted;
sums are made in the order drawn, in 64 bits.
"""
import math
import random
import statistics
import subprocess
import sys

DRAWS = 4000
FAIL, AGAIN, OPEN = "fail", "again", "open"
INCONCLUSIVE, IMPROVED, PASS = "inconclusive", "improved", "pass"
NORMAL = statistics.NormalDist()


# ---------------------------------------------------------------- distributions
def incomplete_beta(a, b, x):
    """Regularized; by Lentz's continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
                     + a * math.log(x) + b * math.log1p(-x)) / a
    tiny = 1e-300
    f, c, d = 1.0, 1.0, 0.0
    for i in range(100000):
        m = i // 2
        if i == 0:
            numerator = 1.0
        elif i % 2 == 0:
            numerator = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            numerator = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 + numerator * d
        d = 1 / (d if abs(d) > tiny else tiny)
        c = 1 + numerator / (c if abs(c) > tiny else tiny)
        f *= c * d
        if abs(1 - c * d) < 1e-16:
            break
    return front * (f - 1)


def student_quantile(p, degrees):
    """For p > 0.5."""
    degrees = max(1.0, degrees)
    low, high = 0.0, 1e9
    while high - low > 1e-15 * high and high > 1e-300:
        t = (low + high) / 2
        if t in (low, high):
            break
        upper = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2
        low, high = (t, high) if upper > 1 - p else (low, t)
    return (low + high) / 2


def phi(z):
    return math.erfc(-z / math.sqrt(2)) / 2


U_BOUNDS = {}


def bound_of(n, m):
    """How many differences lie outside at each end, and the quantile of the range that they hold."""
    n, m = min(n, m), max(n, m)
    if n * m > 400:
        z = NORMAL.inv_cdf(0.95)
        sigma = math.sqrt(n * m * (n + m + 1) / 12)
        return max(0, math.floor(n * m / 2 - z * sigma - 0.5)), z
    if (n, m) not in U_BOUNDS:
        ways = [[1.0] + [0.0] * (n * m) for _ in range(m + 1)]
        for _ in range(n):
            for j in range(1, m + 1):
                row = ways[j]
                for u in range(n * m, -1, -1):
                    row[u] = (row[u - j] if u >= j else 0.0) + ways[j - 1][u]
        total, cumulative, sums = sum(ways[m]), [], 0.0
        for w in ways[m]:
            sums += w
            cumulative.append(sums / total)
        below = 0
        while cumulative[below + 1] <= 0.05 + 1e-12:
            below += 1
        U_BOUNDS[n, m] = (below, NORMAL.inv_cdf(1 - cumulative[below]))
    return U_BOUNDS[n, m]


# ---------------------------------------------------------------- one run
def median(values):
    s = sorted(values)
    n = len(s)
    return (s[(n - 1) // 2] + s[n // 2]) / 2 if n % 2 == 0 else s[n // 2]


def robust_sigma(values):
    m = median(values)
    return 1.4826 * median([abs(v - m) for v in values])


def start_of(x):
    """Leading iterations that are slower than the rest."""
    n = len(x)
    if n < 4:
        return 0
    tail = x[n - max(3, (n + 1) // 2):]
    settled = median(tail)
    steps = [abs(b - a) for a, b in zip(x, x[1:])]
    spread = max(robust_sigma(tail), 1.4826 / math.sqrt(2.0) * median(steps), 0.005)
    y = [(v - settled) / spread for v in x]
    sums, above = [0.0], [0]
    for v in y:
        sums.append(sums[-1] + min(4.0, max(-4.0, v)))
        above.append(above[-1] + (v > 1))

    def decays(p):
        """Slow throughout, and slowest first or flat: a stall in the middle is no start."""
        head, third = x[:p], max(1, p // 3)
        if 5 * above[p] < 4 * p:
            return False
        late = head.index(max(head)) >= (p + 1) // 2
        flat = max(spread, 0.1 * (median(head) - settled))
        if p >= 2 and late and max(head) > median(head) + max(3 * spread, flat):
            return False
        return median(head[:third]) >= median(head[-third:]) - flat
    cut = 0
    while True:
        largest, best = 2.5, cut
        for p in range(cut + 1, n // 2 + 1):
            if not decays(p):
                continue
            before, after = p - cut, n - p
            score = ((sums[p] - sums[cut]) / before - (sums[n] - sums[p]) / after) \
                / math.sqrt(1 / before + 1 / after)
            if score > largest:
                largest, best = score, p
        if best == cut:
            return cut
        cut = best


class Run:
    def __init__(self, times):
        self.x = [math.log(t) for t in times]
        self.n = len(self.x)
        self.cut = start_of(self.x)
        self.steady = self.x[self.cut:]
        self.level = median(self.steady)
        self.later = self.x[self.n // 2:] if self.n >= 4 else []
        e = [math.exp(v - self.level) - 1 for v in self.x]
        self.start = sum(e[:self.cut]) / self.n
        self.excess = [0.0] * self.cut + e[self.cut:]
        self.mean = sum(self.excess) / self.n
        self.large = [v for v in self.excess if v > 0.25]

    def stretches(self, limit):
        """Separate groups of slow iterations."""
        bound = max(limit, 3 * robust_sigma(self.steady))
        slow = [i for i, e in enumerate(self.excess) if e > bound]
        return sum(j == 0 or i - slow[j - 1] > 1 for j, i in enumerate(slow))


def spread_of(values):
    return max(values) - min(values)


def keep(runs, far):
    """-> runs that count, whether a slower one was left out as odd."""
    levels = [r.level for r in runs]
    middle = median(levels)
    odd = [i for i, v in enumerate(levels) if abs(v - middle) > far]
    others = [v for i, v in enumerate(levels) if i not in odd]
    if not odd or len(odd) > len(runs) // 3 or spread_of(others) > far / 2:
        odd = []
    odd_slow = any(levels[i] > median(others) for i in odd)
    kept = [r for i, r in enumerate(runs) if i not in odd]
    half_warm = [r for r in kept if r.n >= 4 and r.cut >= r.n // 2]
    if len(kept) - len(half_warm) >= 2:
        kept = [r for r in kept if r not in half_warm]
    return kept, odd_slow


# ---------------------------------------------------------------- the typical iteration
def differences(a, b):
    return sorted(y - x for x in a for y in b)


def rank_correlation(x):
    order = sorted(range(len(x)), key=lambda i: x[i])
    ranks, i = [0.0] * len(x), 0
    while i < len(x):
        j = i
        while j < len(x) and x[order[j]] == x[order[i]]:
            j += 1
        for k in range(i, j):
            ranks[order[k]] = (i + j - 1) / 2
        i = j
    mean = (len(x) - 1) / 2
    square = sum((r - mean) ** 2 for r in ranks)
    return sum((a - mean) * (b - mean) for a, b in zip(ranks, ranks[1:])) / square if square else 0.0


def sign_batches(steady):
    """-> squared error of the median of a long run, degrees of freedom."""
    n, s = len(steady), sorted(steady)
    level = median(s)
    b = math.isqrt(n)
    k = n // b
    signs = [(v <= level) - 0.5 for v in steady]
    means = [sum(signs[i * b:(i + 1) * b]) / b for i in range(k)]
    mean = sum(means) / k
    v = max(1.0, 4 * b * sum((m - mean) ** 2 for m in means) / (k - 1))
    half = math.sqrt(n * v)                     # two standard errors, in ranks
    low = max(0, math.floor(n / 2 - half))
    high = min(n - 1, math.ceil(n / 2 + half) - 1)
    return ((s[high] - s[low]) / 4) ** 2, k - 1.0


def of_median(c):
    return (math.pi / 2) / (c - 1 + math.pi / 2)


def variance(values):
    n = len(values)
    if n < 2:
        return 0.0
    mean = sum(values) / n
    return sum((v - mean) ** 2 for v in values) / (n - 1)


class Estimate:
    def __init__(self, base, cand, tau0):
        pairs = [(b, c) for b in base for c in cand]
        shift, error, all_, later, has_later, harmonic, degrees = [], [], [], [], False, [], []
        for b, c in pairs:
            n, m = len(b.steady), len(c.steady)
            d = differences(b.steady, c.steady)
            shift.append(median(d))
            k, z = bound_of(n, m)
            own = (d[n * m - 1 - k] - d[k]) / (2 * z) if z >= 0.1 else 0.0
            share = 1 / n + 1 / m
            var = ((n + m - 2) * own ** 2 + 4 * (2 * tau0) ** 2 * share) / (n + m + 2)
            if min(n, m) < 2:
                var = max(var, (10 * tau0) ** 2 * share)
            error.append(math.sqrt(var))
            all_.append(median(differences(b.x, c.x)) if b.cut or c.cut else shift[-1])
            has = bool(b.later and c.later)
            has_later = has_later or has
            later.append(median(differences(b.later, c.later)) if has else all_[-1])
            harmonic.append(2 / share)
            degrees.append(n + m - 2)
        self.shift, self.all = median(shift), median(all_)
        self.later = median(later) if has_later else None
        weighted, weight = 8.0, 16.0
        for r in base + cand:
            n = len(r.steady)
            if n >= 5:
                weighted += n * rank_correlation(r.steady) + 1
                weight += n - 4
        rho = min(0.8, max(0.0, weighted / weight))
        h = median(harmonic)
        v = (1 + rho) / (1 - rho) - 2 * rho * (1 - rho ** h) / (h * (1 - rho) ** 2)
        within = median(error) ** 2 * (v / max(1e-6, 1 - v / h) * (1 - 1 / h) if h > 1 else v)
        own_degrees = max(1.0, (median(degrees) + 4) / v)
        is_long = min(len(r.steady) for r in base + cand) >= 200
        if is_long:
            known = {id(r): sign_batches(r.steady) for r in base + cand}
            within = median([math.sqrt(known[id(b)][0] + known[id(c)][0]) for b, c in pairs]) ** 2
            own_degrees = median([known[id(b)][1] + known[id(c)][1] for b, c in pairs])
        squares = sum((len(s) - 1) * max(0.0, variance([r.level for r in s]) - 0.65 * within)
                      for s in (base, cand))
        runs = len(base) + len(cand)
        between = (3 * tau0 ** 2 + squares) / (3 + runs - 2)
        f = of_median(len(base)) + of_median(len(cand))
        a, b = within * f / 2, between * f
        self.error, self.run_noise = math.sqrt(a + b), math.sqrt(b)
        chance = 2 * math.sqrt(a) if is_long else 0.0
        later = [self.later] if has_later else []
        self.least = min([self.shift, self.all] + [v + chance for v in later])
        self.most = max([self.shift, self.all] + [v - chance for v in later])
        total = a * a / own_degrees + b * b / (7 + runs - 2)
        self.t = student_quantile(0.99, (a + b) ** 2 / total if total > 0 else 1.0)
        own = sum(of_median(len(s)) * 1.57 * max(1.0, v)
                  * median([(robust_sigma(r.steady) ** 2 + tau0 ** 2) / len(r.steady) for r in s])
                  for s in (base, cand))
        if min(r.n for r in base + cand) < 5:
            own = a
        self.sigma = math.sqrt(min(a, own) + b) * self.t / 2.3263


# ---------------------------------------------------------------- the total
class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)


def drawn_sums(values, of_candidate):
    """Sums of both columns over the entries that chance gives the candidate, for each draw."""
    n = len(values)
    fewer = min(of_candidate, n - of_candidate)
    values = sorted(values)
    whole = [0.0, 0.0]
    for v in values:
        whole[0] += v[0]
        whole[1] += v[1]
    random_ = SplitMix64((n << 32) + of_candidate)
    out = []
    for _ in range(DRAWS):
        a = b = 0.0
        for i in range(fewer):
            j = i + ((random_.next() >> 32) * (n - i) >> 32)
            values[i], values[j] = values[j], values[i]
            a += values[i][0]
            b += values[i][1]
        out.append((a, b) if fewer == of_candidate else (whole[0] - a, whole[1] - b))
    return whole, out


def mean_of(side, part):
    return sum(sum(part(e) for e in r.excess) / r.n for r in side) / len(side)


def block_of(base, cand):
    numerator = denominator = squares = 0.0
    for r in base + cand:
        v = [min(e, 1.0) for e in r.excess]
        mean = sum(v) / r.n
        v = [e - mean for e in v]
        own = sum(e * e for e in v)
        numerator += sum(a * b for a, b in zip(v, v[1:]))
        denominator += own
        squares += own * own / r.n
    rho = min(0.8, numerator / denominator) if denominator > 0 else 0.0
    shortest, longest = min(r.n for r in base + cand), max(r.n for r in base + cand)
    block = 1
    if denominator > 0 and rho > 2 * math.sqrt(squares) / denominator:
        block = max(1, math.floor((1 + rho) / (1 - rho) + 0.5))
    if longest > 400:
        block = max(block, -(-longest // 200))
    return min(block, max(1, shortest // 3))


def blocks_of(side, block):
    """(mean excess, mean excess of at most twice the typical) of blocks, in order."""
    out = []
    for r in side:
        count = max(1, r.n // block)
        at = 0
        for i in range(count):
            size = r.n // count + (i < r.n % count)
            part = r.excess[at:at + size]
            at += size
            out.append((sum(part) / size, sum(min(e, 1.0) for e in part) / size))
    return out


def at_least(a, n, b, total):
    """P(a or more of a + b slow iterations are among n, and not the other total ones), by chance."""
    t = a + b
    ways = math.comb(n + total, t)
    return sum(math.comb(n, i) * math.comb(total, t - i) for i in range(a, min(n, t) + 1)) / ways


def are_known(base, cand):
    """Whether the baseline has stalls as long as the candidate's, and not far less often."""
    there, here = [e for r in base for e in r.large], [e for r in cand for e in r.large]
    n, total = sum(r.n for r in cand), sum(r.n for r in base)
    for e in here:
        a, b = sum(v >= e for v in here), sum(v >= e / 1.25 for v in there)
        if b < 1 or at_least(a, n, b, total) <= 0.2:
            return False
    return True


class Total:
    def __init__(self, base, cand, estimate, limit, far, certain, floor, is_decided):
        self.base, self.cand = base, cand
        self.level = level = median([r.level for r in cand]) - median([r.level for r in base])
        b, c = mean_of(base, lambda e: e), mean_of(cand, lambda e: e)
        b2, c2 = (mean_of(s, lambda e: min(e, 1.0)) for s in (base, cand))
        self.mean = level + math.log((1 + c) / (1 + b))
        self.mean2 = level + math.log((1 + c2) / (1 + b2))
        starts = [r.start for r in base]
        allowed = 1.25 * max(starts) + 0.02 if len(base) >= 3 else median(starts)
        start = max(0.0, sum(r.start for r in cand) / len(cand) - allowed)
        excused = 0.0
        if are_known(base, cand):
            cost, usual = (sum(sum(r.large) / r.n for r in s) / len(s) for s in (cand, base))
            excused = cost - min(cost, usual)
        base_level = median([r.level for r in base])
        runs = sum(math.exp(r.level) * (1 + sum(r.excess) / r.n) for r in cand) / len(cand)
        self.all = max(level, math.log(runs / (1 + c)) - base_level) \
            + math.log((1 + c - excused + start) / (1 + b))
        self.whole = math.exp(median([r.level for r in base])) * (1 + b)
        self.chance, self.verdict = None, PASS
        counts = lambda change: (math.exp(change) - 1) * self.whole >= floor
        if not is_decided and self.mean > limit and counts(self.mean):
            self.chance = self.chance_of(estimate.sigma, 0.0)
            sure = self.chance_of(estimate.sigma, limit) if certain else self.chance
            if sure <= 0.003:
                self.verdict = FAIL
            elif self.chance <= 0.05:
                self.verdict = OPEN
        if self.verdict == PASS and self.all > far and counts(self.all):
            self.verdict = OPEN

    def chance_of(self, sigma, by):
        block = block_of(self.base, self.cand)
        b, c = blocks_of(self.base, block), blocks_of(self.cand, block)
        nb, nc = len(b), len(c)
        whole, draws = drawn_sums(b + c, nc)
        out = []
        for k, seen in ((0, self.mean - by), (1, self.mean2 - by)):
            p = 0.0
            for d in draws:
                g = math.log((1 + d[k] / nc) / (1 + (whole[k] - d[k]) / nb))
                p += (phi((g - seen) / sigma) if sigma > 0 else float(g >= seen))
            out.append(p / DRAWS)
        return min(out) + 1 / (DRAWS + 1)


# ---------------------------------------------------------------- recordings
def need(runs):
    """Fewest recordings that confirm a change. A machine in a state by chance q makes none of
    `runs` and all of c recordings slow with at most this probability, whatever q is."""
    def chance(c):
        return runs ** runs * c ** c / (runs + c) ** (runs + c)
    return next((c for c in (1, 2, 3) if chance(c) <= 0.01), None)


def is_repeated(base, cand, by_total, limit):
    """Whether every recording is slower, and no run of the baseline is in between."""
    middle, usual = median([r.level for r in base]), sum(r.mean for r in base) / len(base)

    def over(r):
        return r.level - middle + (math.log((1 + r.mean) / (1 + usual)) if by_total else 0.0)
    slowest, fastest = max(map(over, base)), min(map(over, cand))
    return fastest > limit / 2 and slowest < fastest - limit / 2


def sees_of(e, base, limit, far):
    levels = [r.level for r in base]
    if len(base) <= 3:
        return far + 1.3 * e.error
    slowest = max(levels) - median(levels)
    return max(limit + 2 * e.error,
               slowest + limit / 2 + 2.5 * max(math.sqrt(variance(levels)), 0.8 * e.error))


# ---------------------------------------------------------------- the verdict
def judge(baselines, candidates, limit=0.05, tau0=0.01, certain=False, floor=0.0):
    L, far = math.log1p(limit), math.log1p(3 * limit)
    odd_far = max(2 * L, 5 * tau0)
    all_base, all_cand = [Run(r) for r in baselines], [Run(r) for r in candidates]
    base, _ = keep(all_base, odd_far)
    cand, odd_slow = keep(all_cand, odd_far)
    e = Estimate(base, cand, tau0)
    half = e.t * e.error
    low, high = e.shift - half, e.shift + half
    steady = [v for r in cand for v in r.steady]
    typical = median([r.level for r in base])
    slower = sum(v > typical + L for v in steady) / len(steady)
    shortest = min(r.n for r in base + cand)
    large = max((2 if certain else 1) * 1.5 * L, 4 * e.run_noise)
    many = 0.8 if e.least > far and not certain else 0.9
    if e.least > L and low > (L if certain else 0):
        verdict = FAIL
    elif shortest >= 3 and e.least > large and slower >= many - 1e-9:
        verdict = FAIL
    elif e.most < -L and high < 0:
        verdict = IMPROVED
    elif e.shift <= L and high < far:
        verdict = PASS
    else:
        verdict = OPEN if e.shift > L else INCONCLUSIVE
    level_of = lambda side: median([median([math.exp(v) for v in r.steady]) for r in side])
    base_level = level_of(base)
    levels = abs(level_of(cand) - base_level)
    judged = abs(math.expm1(e.shift) * base_level)
    counts = max(levels, judged) >= floor
    if e.shift > L and not counts:
        verdict = PASS
    total = Total(base, cand, e, L, far, certain, floor, verdict == FAIL)
    by_total = False
    if verdict != FAIL and odd_slow:
        verdict = OPEN
    if verdict == IMPROVED and total.mean > 0:
        verdict = PASS
    order = [FAIL, OPEN, INCONCLUSIVE, IMPROVED, PASS]
    if order.index(total.verdict) < order.index(verdict):
        verdict, by_total = total.verdict, True
    too_few = e.shift + 2.6 * e.error > math.log1p(4 * limit)
    if verdict in (PASS, INCONCLUSIVE) and too_few and (e.shift <= L or counts):
        verdict = OPEN
    needed, recordings = 2, len(all_cand)
    if verdict == FAIL:
        if by_total:
            at_once = total.mean > far and (total.level > far or
                                            max(r.stretches(limit) for r in all_cand) >= 3)
        else:
            at_once = e.shift > far
        needed = need(len(all_base))
        if needed is not None and by_total:
            needed = max(needed, 2)
        is_final = at_once or (needed is not None and recordings >= needed
                               and is_repeated(all_base, all_cand, by_total, L))
        verdict = FAIL if is_final else OPEN
    if verdict == OPEN and recordings < (needed or 2):
        verdict = AGAIN
    return {"verdict": verdict, "shift": math.expm1(e.shift), "low": math.expm1(low),
            "high": math.expm1(high), "total": math.expm1(total.mean),
            "total_clipped": math.expm1(total.mean2), "all": math.expm1(total.all),
            "chance": -1.0 if total.chance is None else total.chance,
            "sees": math.expm1(sees_of(e, base, L, far))}


# ---------------------------------------------------------------- checks
def line_of(case):
    baselines, candidates, limit, tau0, certain, floor = case
    side = lambda runs: " / ".join(" ".join(repr(t) for t in run) for run in runs)
    return f"{limit!r} {tau0!r} {int(certain)} {floor!r} | {side(baselines)} | {side(candidates)}"


def case_of(line):
    head, base, cand = line.split("|")
    limit, tau0, certain, floor = (float(v) for v in head.split())
    side = lambda text: [[float(v) for v in run.split()] for run in text.split("/")]
    return side(base), side(cand), limit, tau0, bool(certain), floor


def random_case(seed):
    r = random.Random(seed)
    n = r.choice([1, 2, 3, 4, 5, 8, 12, 20, 20, 30]) if seed % 25 else 210
    k, c = (r.choice([1, 3, 5, 8, 12]), r.choice([1, 1, 2, 3])) if n < 200 else (1, 1)
    cv, rho = r.choice([0.005, 0.02, 0.05]), r.choice([0, 0, 0.7])
    effect = r.choice([-0.1, 0, 0, 0.03, 0.08, 0.2, 2.0])
    stalls, stall = r.choice([0, 0, 0.05, 0.1, 0.3]), r.choice([1.3, 3, 6])
    warm = r.choice([0, 0, 0.2, 0.45])

    def run(change, share, slow):
        level = 10 * (1 + change) * math.exp(0.01 * r.gauss(0, 1))
        wave, out = r.gauss(0, 1), []
        for i in range(n):
            wave = rho * wave + math.sqrt(1 - rho * rho) * r.gauss(0, 1)
            t = level * math.exp(cv * wave) * (slow if r.random() < share else 1)
            out.append(t * (2 if i < warm * n else 1))
        return out

    own, alike = r.choice([0, 0, 0.05]), r.choice([3, stall])
    odd = r.random() < 0.15
    base = [run(0.5 if odd and i == 1 else 0, own, alike) for i in range(k)]
    cand = [run(effect + (0.6 if odd and i == 2 else 0), stalls, stall) for i in range(c)]
    return (base, cand, r.choice([0.05, 0.05, 0.03, 0.1]), r.choice([0.01, 0.01, 0.005]),
            r.random() < 0.15, r.choice([0.0, 0.0, 0.0, 1.0]))


def self_test():
    """By hand: 4 + 4 values, so that chance is one of 70."""
    fast, slow = [1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0]
    _, draws = drawn_sums([(v, v) for v in fast + slow], 4)
    share = sum(d[0] == 8 for d in draws) / DRAWS
    assert abs(share - 1 / 70) < 0.006, share
    assert abs(student_quantile(0.95, 10) - 1.812461122811676) < 1e-9
    assert start_of([math.log(v) for v in [3, 1, 3, 1, 3, 1, 3, 1, 3, 1] + [1, 1.01] * 5]) < 3
    assert [need(k) for k in (3, 4, 6, 7, 36, 37)] == [None, 3, 3, 2, 2, 1]
    assert abs(at_least(2, 4, 0, 4) - 6 / 28) < 1e-12


def check(program, count):
    self_test()
    cases = [random_case(seed) for seed in range(count)]
    answer = subprocess.run([program], input="\n".join(map(line_of, cases)) + "\n", text=True,
                            stdout=subprocess.PIPE, check=True).stdout.splitlines()
    assert len(answer) == count, f"{len(answer)} answers to {count} comparisons"
    seen, bad = {}, 0
    for i, (case, text) in enumerate(zip(cases, answer)):
        here = judge(*case)
        there = dict(word.split("=") for word in text.split())
        wrong = [k for k, v in here.items() if k != "verdict"
                 and abs(float(there[k]) - v) > 1e-9 * max(1.0, abs(v))]
        if there["verdict"] != here["verdict"]:
            wrong.append("verdict")
        seen[here["verdict"]] = seen.get(here["verdict"], 0) + 1
        if wrong:
            bad += 1
            print(f"comparison {i} differs in {', '.join(wrong)}:\n  here  {here}\n  there {there}")
    print(f"{count} comparisons, {bad} differ; " + ", ".join(f"{v} {k}" for k, v in sorted(seen.items())))
    return bad == 0 and len(seen) == 6


def main(arguments):
    if len(arguments) >= 2 and arguments[0] == "check":
        count = int(arguments[3]) if len(arguments) == 4 and arguments[2] == "--count" else 300
        return 0 if check(arguments[1], count) else 1
    if arguments == ["judge"]:
        for line in sys.stdin:
            print(" ".join(f"{k}={v!r}" if k != "verdict" else f"{k}={v}"
                           for k, v in judge(*case_of(line)).items()))
        return 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
