"""The documents as a site (ci/site.sh): it builds without a warning, and each link in it leads somewhere."""
import html.parser
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse

from support import PROGRAM, REPOSITORY, main, need


class Page(html.parser.HTMLParser):
    """Addresses and names of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.names.add(found.get("id"))
        if tag in ("a", "img"):  # Scripts and styles are the theme's.
            self.links.append(found.get("href") or found.get("src") or "")


class SiteTest(unittest.TestCase):
    def test_links_lead_somewhere(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        done = subprocess.run([REPOSITORY / "ci/site.sh", folder / "site"], text=True, capture_output=True, check=False,
                              env={**os.environ, "PROFGAUGE": str(PROGRAM)})
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertNotIn("WARNING", done.stderr)
        pages = {path: Page(path) for path in (folder / "site").rglob("*.html") if path.name != "404.html"}
        names = {path.relative_to(folder / "site").as_posix() for path in pages}
        self.assertLessEqual({"index.html", "examples/policy.html", "examples/stability.html", "rules/index.html",
                              "reference/rules.html"}, names)
        self.assertGreaterEqual(len(pages), 15)
        for path, page in pages.items():
            for link in page.links:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme or parts.netloc or not link:
                    continue
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
                with self.subTest(page=str(path.relative_to(folder)), link=link):
                    self.assertTrue(target.exists())
                    if parts.fragment and target in pages:
                        self.assertIn(parts.fragment, pages[target].names)


if __name__ == "__main__":
    need("mkdocs", "git")
    main()
