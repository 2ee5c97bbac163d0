"""Renews the README's pictures: pages of our own example trace, in headless Chromium.

  screenshots.py PROFGAUGE EXAMPLES_FOLDER
Writes EXAMPLES_FOLDER/screenshots/*.png, as small as Chromium makes them.
"""
import base64
import pathlib
import subprocess
import sys
import tempfile

from driver import READY, Driver

# Name, dark, what to do first, and what to show: (CSS selector of the first, of the last element).
SHOTS = [
    ("verdict", False, "", ("#scope", "header")),
    ("timeline", True,
     "const whole = timeline.last - timeline.first, gap = timeline.gaps()[4];"
     "timeline.choose(...gap); timeline.go(timeline.first + 0.28 * whole, timeline.first + 0.62 * whole);"
     "timeline.pick(timeline.deviceLanes()[0].begin + 100, true);",
     ("#timeline-section", "#timeline-section")),
    ("tree", False, "document.getElementById('t-op_tree').open = true; grids.get('op_tree').apply();",
     ("#t-op_tree", "#t-op_tree")),
]


def main():
    profgauge, examples = sys.argv[1:3]
    folder = pathlib.Path(examples) / "screenshots"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        page = pathlib.Path(scratch) / "slow.html"
        # As in the README, so that the picture names no folder of this machine.
        subprocess.run([pathlib.Path(profgauge).resolve(), "report", "examples/slow.pt.trace.json.gz",
                        "--policy", "examples/policy.yaml", "-q", "--html", str(page)],
                       cwd=pathlib.Path(examples).resolve().parent, check=True,
                       stdout=subprocess.DEVNULL)
        for name, dark, script, (first, last) in SHOTS:
            driver = Driver(dark=dark)
            try:
                driver.open(page.as_uri())
                driver.wait(READY, "the page")
                driver.run(script + "; scrollTo(0, 0);")
                top, bottom = driver.run(
                    "return [document.querySelector(arguments[0]).getBoundingClientRect().top,"
                    "document.querySelector(arguments[1]).getBoundingClientRect().bottom]", first, last)
                clip = {"x": 0, "y": max(0, top - 10), "width": 1280,
                        "height": min(bottom - top + 20, 940), "scale": 0.75}
                driver.run("return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))")
                picture = driver.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
                (folder / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))
            finally:
                driver.close()


if __name__ == "__main__":
    main()
