"""Headless Chromium through ChromeDriver: what the browser tests need of it, and no more."""
import base64
import http.server
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request


class Run:
    """What this run of the tests was given."""
    samples = pathlib.Path()   # the pages of sample_pages
    examples = pathlib.Path()  # pages of profgauge itself, of our own traces
    shots = None               # a folder for screenshots
    measure = 0                # events of the large timeline
    profgauge = neuron = slow = None  # the program, and recordings of NeuronCores and a GPU
    axe = None                 # axe-core's axe.min.js


JENKINS = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Driver:
    """The few WebDriver commands that the tests need."""

    def __init__(self, javascript=True, dark=False):
        port = free_port()
        self.profile = tempfile.mkdtemp(prefix="profgauge-browser-")
        self.process = subprocess.Popen(
            [shutil.which("chromedriver"), f"--port={port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}"
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update",
                     "--disable-sync", "--hide-scrollbars", "--window-size=1280,1000",
                     f"--user-data-dir={self.profile}"]
        options = {"args": arguments, "binary": shutil.which("chromium"), "prefs": {
            "profile.managed_default_content_settings.javascript": 1 if javascript else 2}}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        for attempt in range(100):
            try:
                answer = self.call("POST", "/session",
                                   {"capabilities": {"alwaysMatch": capabilities}})
                break
            except OSError:
                if attempt == 99:
                    raise
                time.sleep(0.1)
        self.url += "/session/" + answer["sessionId"]
        if dark:
            self.cdp("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, what):
        for _ in range(600):
            if self.run("return " + condition):
                return
            time.sleep(0.05)
        raise AssertionError(f"waited in vain for {what}")

    def keys(self, text):
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def pointer(self, *moves, shift=False):
        """moves: (x, y) pairs in the window; the button is down from the first to the last."""
        steps = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
                 for x, y in moves]
        steps.insert(1, {"type": "pointerDown", "button": 0})
        steps.append({"type": "pointerUp", "button": 0})
        inputs = [{"type": "pointer", "id": "p", "actions": steps}]
        if shift:
            pauses = [{"type": "pause"}] * (len(steps) - 1)
            inputs.append({"type": "key", "id": "s", "actions":
                           [{"type": "keyDown", "value": "\ue008"}, *pauses,
                            {"type": "keyUp", "value": "\ue008"}]})
        self.call("POST", "/actions", {"actions": inputs})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def shot(self, name):
        if Run.shots is None:
            return
        height = self.run("return Math.min(document.documentElement.scrollHeight, 6000)") or 4000
        picture = self.cdp("Page.captureScreenshot", captureBeyondViewport=True,
                           clip={"x": 0, "y": 0, "width": 1280, "height": height, "scale": 1})
        (Run.shots / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
            shutil.rmtree(self.profile, ignore_errors=True)


class Server:
    """Serves the samples with a policy, as Jenkins does with reports."""

    def __init__(self, policy):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=str(Run.samples))

            def end_headers(self):
                self.send_header("Content-Security-Policy", policy)
                super().end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


PAGE = "page.html"
READY = ("document.documentElement.dataset.tables === 'ready' && "
         "document.documentElement.dataset.timeline === 'ready'")


def page_url(name=PAGE):
    return (Run.samples / name).as_uri()
