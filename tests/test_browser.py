"""Pages in a real browser: no complaint on the console, tables that sort, a match that plays by keyboard.

Needs Chromium (`chromium` or `google-chrome` on the path, or CHROMIUM); without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import unescape

import pytest

import sim
from kernels.jit import PLAIN
from sim.reports.page import report_page
from sim.reports.story_page import story_page
from sim.studies.story import explain
from tests.run_tools import SHORT

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
    pytest.mark.skipif(PLAIN, reason="pages are the same whatever the kernels"),
    pytest.mark.usefixtures("fewer_sequels"),
]

# What a test asks of a page runs in it after everything else, and leaves its answer and all complaints in the document.
ASKING = """
<script>
(async () => {
  const pause = () => new Promise((done) => setTimeout(done, 20));
  let answer;
  try { answer = await (async () => { %s })(); } catch (error) { complaints.push(String(error)); }
  const pre = document.createElement("pre");
  pre.id = "answer";
  pre.textContent = JSON.stringify({ answer, complaints });
  document.body.append(pre);
})();
</script>
"""
LISTENING = """
<script>
const complaints = [];
addEventListener("error", (event) => complaints.push(String(event.message)));
for (const kind of ["error", "warn"]) console[kind] = (...words) => complaints.push(words.join(" "));
</script>
"""


def asked(page, script, tmp_path):
    """What a script answers in the browser; the page must not have complained."""
    path = tmp_path / "page.html"
    whole = page.replace("<head>", "<head>" + LISTENING, 1).replace("</body>", ASKING % script + "</body>")
    path.write_text(whole, encoding="utf-8")
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    words += ["--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}"]
    words += ["--virtual-time-budget=10000", "--dump-dom", path.as_uri()]
    done = subprocess.run([CHROMIUM, *words], capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    told = json.loads(unescape(found[1]))
    assert told["complaints"] == []
    return told["answer"]


@pytest.fixture(scope="module")
def run():
    return sim.run("compact", bots=("greedy", "random"), matches=2_000, seed=3, overrides=SHORT)


def test_browser__tables_of_a_report_sort_and_save(run, tmp_path):
    script = """
      const all = [...document.querySelectorAll("table")];
      const table = all.find((one) => one.caption.textContent.includes("All estimates"));
      const first = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent.trim());
      const button = table.tHead.rows[0].cells[0].querySelector("button");
      const asked = first();
      button.click();
      const up = first();
      button.click();
      const down = first();
      button.click();
      const numbers = table.tHead.rows[0].cells[2].querySelector("button");
      numbers.click();
      const counts = [...table.tBodies[0].rows].map((row) => Number(row.cells[2].textContent.replaceAll(",", "")));
      const save = table.caption.querySelector("a");
      save.onclick();
      const csv = await (await fetch(save.href)).text();
      return { asked, up, down, back: first().length, counts, csv, name: save.download };
    """
    told = asked(report_page(run), script, tmp_path)
    assert told["asked"] == [one.metric for one in run.estimates]
    assert told["up"] != told["asked"]
    assert sorted(told["up"]) == sorted(told["asked"])
    assert told["down"] == told["up"][::-1]
    assert told["counts"] == sorted(told["counts"])
    assert len(told["csv"].splitlines()) == 1 + len(run.estimates)
    assert told["name"].endswith(".csv")


def test_browser__a_match_plays_forward_and_back_by_keyboard(run, tmp_path):
    story = explain(run, 1)
    script = """
      const press = async (key) => {
        document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        await pause();
      };
      const where = () => Object.fromEntries([...document.querySelectorAll("#board .train")].map((train) =>
        [train.textContent, train.getAttribute("transform")]));
      const moment = () => document.getElementById("moment").textContent;
      const start = where(), seen = [moment()];
      const last = Number(document.getElementById("slider").max);
      for (let i = 0; i < last; i++) { await press("ArrowRight"); seen.push(moment()); }
      const end = where(), said = document.getElementById("happened").textContent;
      const back = [];
      for (let i = 0; i < last; i++) await press("ArrowLeft");
      const again = where();
      await press("End");
      const jumped = moment();
      await press("PageUp");
      const before = moment();
      await press("Home");
      return { seen, start, end, again, jumped, before, said, home: moment() };
    """
    told = asked(story_page(story), script, tmp_path)
    assert told["again"] == told["start"]
    assert told["end"] != told["start"]
    n = len(story.orders)
    assert told["seen"][0] == told["home"] == f"Start of {n} dispatches"
    assert told["seen"][-1].startswith(f"Dispatch {n} of {n}")
    assert told["jumped"] == told["seen"][-1]
    assert told["before"].startswith(f"Dispatch {n - 1} of {n}")
    assert len({moment.split(":")[0] for moment in told["seen"]}) == n + 1
    winner = story.result["winner"]
    assert ("shared" if winner == "shared" else f"{winner} wins") in told["said"]
