#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages of `posemill compare -o` and `posemill view` in a real browser.

usage: test_page.py POSEMILL SCREENSHOTS

Requires Debian's chromium, chromium-driver and python3-selenium. Without them the test is skipped;
POSEMILL_REQUIRE_BROWSER=1 makes that a failure. Pictures are left in the folder SCREENSHOTS.
"""
import html
import json
import re
import subprocess
from pathlib import Path

import browser as pages
import command_case
from command_case import ARGUMENTS, POSEMILL

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

import motions
from motions import JOINTS, np

SHOTS = Path(ARGUMENTS[0]).resolve()
SPOILED, MOMENT = 3, 40 # LeftArm in frame 40


def walk(frames, rate):
    return motions.walk(np.random.default_rng(1), frames, rate, most=4, size=25)


class Page(pages.Case):
    shots = SHOTS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rows = walk(61, 30)
        motions.write_bvh(cls.folder / "a.bvh", JOINTS, rows, 30)
        rows[MOMENT, 3 + 3 * SPOILED] += 25
        motions.write_bvh(cls.folder / "b.bvh", JOINTS, rows, 30)
        cls.posemill("compare", "a.bvh", "b.bvh", "-o", "page.html", "--quiet")
        cls.posemill("view", "a.bvh", "-o", "view.html")

    @classmethod
    def posemill(cls, *words, code=0):
        done = subprocess.run([POSEMILL, *map(str, words)], cwd=cls.folder, capture_output=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout.decode()

    def state(self, name):
        return self.ask(f"return posemillPage.state.{name}")

    def click_canvas(self, identity, x, y):
        element = self.browser.find_element(By.ID, identity)
        self.ask("arguments[0].scrollIntoView({block: 'center'})", element)
        box = self.ask("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", element)
        ActionChains(self.browser).move_to_element_with_offset(
            element, round(x - box[0] / 2), round(y - box[1] / 2)).click().perform()
        self.settle()

    # ---- tests -------------------------------------------------------------------------

    def test_it_opens_at_the_worst_moment_and_says_nothing(self):
        self.open()
        self.assertAlmostEqual(self.state("time"), MOMENT / 30, delta=1e-6)
        self.assertEqual(self.state("joint"), SPOILED)
        self.assertIn("25 degrees", self.browser.find_element(By.ID, "verdict").text)
        self.assertIn("LeftArm", self.browser.find_element(By.ID, "verdict").text)
        self.shot("compare-light-1280")
        self.quiet()

    def test_nothing_can_be_requested(self):
        """The page's own policy refuses requests, whoever would make them."""
        self.open()
        self.browser.execute_async_script(
            "const done = arguments[0]; fetch('http://127.0.0.1:9/').catch(() => done());")
        self.assertIn("Content Security Policy", self.browser.get_log("browser")[0]["message"])

    def test_the_numbers_are_those_of_json(self):
        self.open()
        found = json.loads(self.ask("return document.getElementById('numbers').textContent"))
        self.assertEqual(found, json.loads(self.posemill("compare", "a.bvh", "b.bvh", "--json")))
        rows = self.ask("return Array.from(document.querySelectorAll('#table tbody tr'), (row) =>"
                        "Array.from(row.cells, (cell) => cell.dataset.v ?? cell.textContent))")
        for row, joint in zip(rows, found["joints"]):
            self.assertEqual(row[0], joint["name"])
            numbers = [v for k, v in joint.items() if k.startswith(("max_deg", "rms_", "time_of_max", "max_dist"))]
            self.assertEqual([float(v) for v in row[1:]], numbers)

    def test_a_click_on_the_heat_map_goes_there(self):
        self.open()
        for joint, frame in ((SPOILED, 12), (0, 50), (6, 33)):
            x, y = self.ask("return posemillPage.mapPixel(arguments[0], arguments[1])", joint, frame / 30)
            self.click_canvas("map-canvas", x, y)
            self.assertEqual(self.state("joint"), joint)
            self.assertAlmostEqual(self.state("time"), frame / 30, delta=1.5 / 30)
            shown = self.browser.find_element(By.ID, "now").text
            self.assertTrue(shown.startswith(f"{self.state('time'):.4f} s"), shown)
        self.quiet()

    def test_the_values_are_those_of_the_files(self):
        self.open()
        a, b = (motions.read_bvh(self.folder / f"{n}.bvh") for n in "ab")
        for frame in (0, 17, MOMENT):
            now = self.ask("return posemillPage.times[arguments[0]]", frame)
            (ra, pa), (rb, pb) = a.evaluate(now), b.evaluate(now)
            angles = np.linalg.norm(motions.vector_between(ra, rb), axis=1)
            places = np.linalg.norm(pa - pb, axis=1)
            self.assertEqual(frame == MOMENT, places.max() > 1)
            for name, exact in (("angle", angles), ("distance", places)):
                got = [self.ask("return posemillPage.valueOf(...arguments)", name, j, frame) for j in range(7)]
                self.assertLess(np.abs(np.array(got) - exact).max(), 0.51 * exact.max() / 65534 + 1e-5, name)

    def test_the_skeleton_is_drawn_where_the_numbers_are(self):
        self.open()
        self.assertFalse(self.is_painted([4, 4]))  # where no joint is
        a, b = (motions.read_bvh(self.folder / f"{n}.bvh") for n in "ab")
        for press in ([], ["1"], ["2"], ["3"]):
            for frame in (5, MOMENT):
                self.ask("posemillPage.setTime(posemillPage.times[arguments[0]])", frame)
                self.press(*press, "f")
                for side, motion in enumerate((a, b)):
                    _, places = motion.evaluate(frame / 30)
                    for joint, place in enumerate(places):
                        exact = self.ask("return posemillPage.project(arguments[0])", list(place))
                        drawn = self.ask("return posemillPage.pixelOf(...arguments)", side, joint)
                        self.assertLess(np.abs(np.array(exact) - drawn).max(), 0.25)
                        self.assertTrue(self.is_painted(drawn), (press, frame, side, joint, drawn))
            self.shot(f"skeleton-{press[0] if press else 'start'}")

    def is_painted(self, pixel):
        """Whether a bone or a joint is there: the grid is thin and pale, and alpha 0 is the ground."""
        return self.ask("""
            const [x, y] = arguments[0], scene = document.getElementById("scene");
            const p = scene.getContext("2d").getImageData(Math.round(x) - 1, Math.round(y) - 1, 3, 3).data;
            let most = 0;
            for (let i = 0; i < p.length; i += 4)
                most = Math.max(most, (Math.max(p[i], p[i + 1], p[i + 2]) - Math.min(p[i], p[i + 1], p[i + 2])) *
                    p[i + 3] / 255);
            return most > 60""", pixel)

    def test_the_projection_keeps_directions(self):
        """From the front x goes right and y up; from the side z goes left; from above z goes down."""
        self.open()
        for key, right, up, signs in (("1", 0, 1, (1, -1)), ("2", 2, 1, (-1, -1)), ("3", 0, 2, (1, 1))):
            self.press(key)
            origin = np.array(self.ask("return posemillPage.project([0, 0, 0])"))
            steps = [np.array(self.ask("return posemillPage.project(arguments[0])", list(10 * axis))) - origin
                     for axis in np.eye(3)]
            self.assertLess(abs(steps[right][1]), 1e-9)
            self.assertGreater(signs[0] * steps[right][0], 1)
            self.assertGreater(signs[1] * steps[up][1], 1)
            self.assertLess(abs(steps[up][0]), 1e-9)
            self.assertLess(np.abs(steps[3 - right - up]).max(), 1e-9)

    def pixel(self, identity, x, y):
        return self.ask("const c = document.getElementById(arguments[0]); return Array.from(c.getContext('2d')"
                        ".getImageData(Math.round(arguments[1]), Math.round(arguments[2]), 1, 1).data)",
                        identity, x, y)[:3]

    def pose_apart(self):
        """b.bvh with small differences and a T-pose in frame 0; returns the largest angle of the other frames."""
        rows = walk(61, 30)
        rows[:, 3:] += 0.3 * np.sin(np.arange(61)[:, None])
        rows[0, 3:] = 0
        motions.write_bvh(self.folder / "pose.bvh", JOINTS, rows, 30)
        self.posemill("compare", "a.bvh", "pose.bvh", "-o", "pose.html", "--quiet")
        return json.loads(self.posemill("compare", "a.bvh", "pose.bvh", "--trim-start", "1", "--json"))["clip"]

    def test_a_pose_apart_does_not_bleach_the_map(self):
        """The scale ends at the largest of the others; the pose has a colour of its own, and is named."""
        rest = self.pose_apart()
        self.open("pose.html")
        verdict = self.browser.find_element(By.ID, "verdict").text
        self.assertIn("The largest angle is", verdict)
        self.assertIn("Without the outliers, at 1 of 61 times, 0 s, the largest angle is "
                      f"{rest['max_degrees']:.4g} degrees.", verdict)
        scale = self.browser.find_element(By.ID, "map-scale").text
        self.assertIn(f"{rest['max_degrees']:.4g} degrees", scale)
        self.assertIn("beyond, up to", scale)
        worst, numbers = self.ask("return posemillPage.worstOf()"), []
        for joint in worst[:3]:
            x, y = self.ask("return posemillPage.mapPixel(...arguments)", joint, 0)
            numbers.append(self.pixel("map-canvas", x + 3, y))
        self.assertEqual(numbers, [[58, 63, 158]] * 3)
        at = self.ask("""const page = posemillPage, found = [];
            for (let f = 2; f < page.times.length; f++)
                for (const j of page.worstOf()) found.push([page.valueOf("angle", j, f), j, f]);
            return found.sort((a, b) => b[0] - a[0])[0]""")
        x, y = self.ask("return posemillPage.mapPixel(...arguments)", at[1], self.ask(
            "return posemillPage.times[arguments[0]]", at[2]))
        red, green, blue = self.pixel("map-canvas", x + 1, y)
        self.assertLess(red + green + blue, 300) # dark, and brown
        self.assertGreater(red, blue)
        self.shot("pose-apart")
        self.open()
        self.assertNotIn("beyond", self.browser.find_element(By.ID, "map-scale").text)
        self.quiet()

    def test_a_part_has_the_times_of_the_file(self):
        self.posemill("compare", "a.bvh", "b.bvh", "-o", "part.html", "--quiet", "--start", "0.5", "--end", "1.5")
        self.open("part.html")
        times = self.ask("return Array.from(posemillPage.times)")
        np.testing.assert_allclose(times, np.arange(15, 46) / 30, atol=1e-9)
        self.assertAlmostEqual(self.state("time"), MOMENT / 30, delta=1e-6)
        self.press(Keys.HOME)
        self.assertEqual(self.state("time"), 0.5)
        self.press(Keys.END)
        self.assertEqual(self.state("time"), 1.5)
        self.assertEqual([self.state("from"), self.state("to")], [0.5, 1.5])
        x, y = self.ask("return posemillPage.mapPixel(arguments[0], arguments[1])", 2, 1)
        box = self.ask("return document.getElementById('map-canvas').clientWidth")
        self.assertAlmostEqual(x, (160 + box) / 2, delta=3)
        self.click_canvas("map-canvas", x, y)
        self.assertAlmostEqual(self.state("time"), 1, delta=1.5 / 30)
        self.tick(400)
        self.press(Keys.END, " ")
        self.until("posemillPage.state.time < 1.4")
        self.assertGreaterEqual(self.state("time"), 0.5)
        self.quiet("part.html")

    def test_the_axis_that_points_up_can_be_chosen(self):
        self.posemill("convert", "a.bvh", "z.bvh", "--up", "y", "--to-up", "z", "--quiet")
        for words in ([], ["--up", "z"]):
            self.posemill("view", "z.bvh", "-o", "z.html", "--quiet", *words)
            self.open("z.html")
            _, places = motions.read_bvh(self.folder / "a.bvh").evaluate(0)
            for joint, place in enumerate(places):
                exact = self.ask("return posemillPage.project(arguments[0])", list(place))
                drawn = self.ask("return posemillPage.pixelOf(0, arguments[0])", joint)
                self.assertLess(np.abs(np.array(exact) - drawn).max(), 0.25)
        self.assertIn("z", self.browser.find_element(By.ID, "conditions").text)
        self.posemill("view", "z.bvh", "-o", "z.html", "--quiet", "--up", "y")
        self.open("z.html")
        drawn = [self.ask("return posemillPage.placeOf(0, arguments[0])", j) for j in range(len(JOINTS))]
        self.assertGreater(np.ptp(drawn, axis=0)[2], 1.5 * np.ptp(drawn, axis=0)[1])
        self.quiet("z.html")

    def test_keys(self):
        self.open()
        self.press(Keys.HOME)
        self.assertEqual(self.state("time"), 0)
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertAlmostEqual(self.state("time"), 2 / 30, delta=1e-9)
        self.press(Keys.ARROW_LEFT)
        self.assertAlmostEqual(self.state("time"), 1 / 30, delta=1e-9)
        ActionChains(self.browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
        self.assertAlmostEqual(self.state("time"), 11 / 30, delta=1e-9)
        self.press(Keys.END)
        self.assertEqual(self.state("time"), 2)
        worst = [int(r) for r in self.ask("return Array.from(document.querySelectorAll('#joint option'), (o) => o.value)")]
        self.press(Keys.ARROW_DOWN)
        self.assertEqual(self.state("joint"), worst[1])
        self.press(Keys.ARROW_UP)
        self.assertEqual(self.state("joint"), worst[0])
        self.quiet()

    def marks(self):
        """The columns of the time line that have a key of B."""
        return self.ask("""const line = document.getElementById("line"), g = line.getContext("2d");
            const row = g.getImageData(0, Math.round(line.height * 17 / line.clientHeight), line.width, 1).data;
            const empty = row.slice(4 * 12, 4 * 13).join(), found = [];
            for (let x = 0; x < line.width; x++)
                if (row.slice(4 * x, 4 * x + 4).join() !== empty) found.push(x);
            return found""")

    def test_the_time_line_has_the_keys_that_a_joint_kept(self):
        self.posemill("reduce", "a.bvh", "-o", "few.glb", "--angle", "2", "--quiet")
        self.posemill("compare", "a.bvh", "few.glb", "-o", "few.html", "--quiet")
        self.open("few.html")
        kept = self.ask("return JSON.parse(document.getElementById('head').textContent).keysB")
        counts = [kept["timelines"][t]["count"] for t in kept["joints"]]
        seen = []
        for joint in (int(np.argmin(counts)), int(np.argmax(counts))):
            self.ask("document.getElementById('joint').value = arguments[0];"
                     "document.getElementById('joint').dispatchEvent(new Event('change'))", str(joint))
            self.settle()
            seen.append(len(self.marks()))
        self.assertLess(counts[int(np.argmin(counts))], max(counts))
        self.assertLess(seen[0], seen[1])

    def test_it_plays_by_the_time_of_the_pictures(self):
        self.open()
        self.tick(20)
        self.press(Keys.HOME, " ")
        self.assertTrue(self.state("playing"))
        self.until("posemillPage.state.time > 0.1")
        self.press(" ")
        self.assertFalse(self.state("playing"))
        stopped = self.state("time")
        self.settle()
        self.assertEqual(self.state("time"), stopped)
        self.assertNotIn("pictures", self.browser.find_element(By.ID, "now").text)
        self.quiet()

    def test_every_control_is_reached_by_tab(self):
        self.open()
        wanted = set(self.ask("""return Array.from(document.querySelectorAll(`button:not([disabled]), select,
            input, #map-canvas, #scene, #line, #moments ol a`), (e, i) => (e.dataset.number = String(i)))"""))
        reached = set()
        for _ in range(120):
            ActionChains(self.browser).send_keys(Keys.TAB).perform()
            reached.add(self.ask("return document.activeElement.dataset.number"))
        self.assertEqual(wanted - reached, set())

    def test_controls(self):
        self.open()
        self.browser.find_element(By.CSS_SELECTOR, "[data-measure=distance]").click()
        self.settle()
        self.assertIn("units", self.browser.find_element(By.ID, "map-high").text)
        for identity in ("in-place", "trail", "onion"):
            self.browser.find_element(By.ID, identity).click()
        self.settle()
        self.shot("controls")
        Select(self.browser.find_element(By.ID, "joint")).select_by_visible_text("Head")
        self.assertEqual(self.state("joint"), 2)
        zoom = self.state("zoom")
        scene = self.browser.find_element(By.ID, "scene")
        ActionChains(self.browser).drag_and_drop_by_offset(scene, 60, 20).perform()
        self.ask("document.getElementById('scene').dispatchEvent(new WheelEvent('wheel', "
                 "{deltaY: -200, cancelable: true}))")
        self.assertGreater(self.state("zoom"), zoom)
        self.assertNotAlmostEqual(self.state("yaw"), 0.6)
        curve = self.browser.find_element(By.CSS_SELECTOR, "#plots canvas")
        self.ask("arguments[0].scrollIntoView({block: 'center'})", curve)
        ActionChains(self.browser).move_to_element_with_offset(curve, -200, 0).click_and_hold().move_by_offset(
            300, 0).release().perform()
        self.assertLess(self.state("to") - self.state("from"), 0.7)
        self.browser.find_element(By.ID, "whole").click()
        self.assertEqual(self.state("to") - self.state("from"), 2)
        self.quiet()

    def test_links_and_rows(self):
        self.open(words="#t=0.5,j=2")
        self.assertEqual((self.state("time"), self.state("joint")), (0.5, 2))
        self.browser.find_element(By.CSS_SELECTOR, "#moments ol a").click()
        self.assertAlmostEqual(self.state("time"), MOMENT / 30, delta=1e-6)
        self.assertEqual(self.state("joint"), SPOILED)
        header = self.browser.find_element(By.CSS_SELECTOR, "#table th[data-column='0']")
        header.click()
        names = [e.text for e in self.browser.find_elements(By.CSS_SELECTOR, "#table tbody th")]
        self.assertEqual(names, sorted(names))
        row = self.browser.find_element(By.CSS_SELECTOR, "#table tbody tr[data-joint='5'] th")
        self.ask("arguments[0].scrollIntoView({block: 'center'})", row)
        row.click()
        self.assertEqual(self.state("joint"), 5)

    def test_sizes_and_schemes(self):
        for scheme in ("light", "dark"):
            for width in (1280, 400):
                self.size(width, 800)
                self.media(scheme=scheme)
                self.open()
                name = f"{scheme}-{width}"
                self.assertLessEqual(self.ask("return document.documentElement.scrollWidth"), width, name)
                ground = self.ask("return getComputedStyle(document.body).backgroundColor")
                self.assertEqual(ground, {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 26)"}[scheme])
                full = self.ask("return document.documentElement.scrollHeight")
                self.size(width, full)
                self.settle()
                self.shot(name)
                self.quiet()

    def test_without_script(self):
        self.command("Emulation.setScriptExecutionDisabled", value=True)
        self.browser.get((self.folder / "page.html").as_uri())
        text = self.browser.find_element(By.TAG_NAME, "body").text
        for words in ("The largest angle is 25 degrees", "LeftArm", "Worst moments", "What was done"):
            self.assertIn(words, text)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "#table tbody tr")), 7)
        pictures = self.browser.find_elements(By.TAG_NAME, "svg")
        self.assertEqual(len(pictures), 2)
        self.assertTrue(all(p.is_displayed() for p in pictures))
        self.assertFalse(self.browser.find_element(By.ID, "live").is_displayed())
        self.shot("without-script")

    def test_hostile_names(self):
        names = ["<img/src=x/onerror=alert(1)>", "</script><script>alert(2)</script>", "a&amp;<b>", "<!--<script>",
                 "\x1b[31m\u202egnp", "&lt;", "$x'\""]
        pairs = dict(zip((n for n, _, _ in JOINTS), names))
        for name in "ab":
            rows = walk(11, 30) * (1 if name == "a" else 1.1)
            motions.write_bvh(self.folder / f"<i>{{{{table}}}}{name}.bvh", JOINTS, rows, 30, rename=pairs.get)
        self.posemill("compare", "<i>{{table}}a.bvh", "<i>{{table}}b.bvh", "-o", "x<i>.html", "--quiet")
        self.open("x<i>.html")
        shown = [e.text for e in self.browser.find_elements(By.CSS_SELECTOR, "#table tbody th")]
        spelled = [n.replace("\x1b", "\\x1b").replace("\u202e", "\\xe2\\x80\\xae") for n in names]
        self.assertEqual(sorted(shown), sorted(spelled))
        listed = self.ask("return Array.from(document.querySelectorAll('#joint option'), (o) => o.textContent)")
        self.assertEqual(sorted(listed), sorted(spelled))
        self.assertEqual(self.browser.find_elements(By.TAG_NAME, "img"), [])
        self.assertEqual(len(self.browser.find_elements(By.TAG_NAME, "i")), 0)
        self.assertEqual(self.browser.find_element(By.TAG_NAME, "h1").text, "<i>{{table}}a.bvh – <i>{{table}}b.bvh")
        self.shot("hostile-names")
        self.quiet("x<i>.html")

    def test_view(self):
        self.open("view.html")
        self.assertFalse(self.browser.find_element(By.ID, "map").is_displayed())
        self.assertTrue(self.browser.find_element(By.ID, "scene").is_displayed())
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "#plots canvas")), 3)
        _, places = motions.read_bvh(self.folder / "a.bvh").evaluate(0)
        exact = self.ask("return posemillPage.project(arguments[0])", list(places[4]))
        drawn = self.ask("return posemillPage.pixelOf(0, 4)")
        self.assertLess(np.abs(np.array(exact) - drawn).max(), 0.25)
        self.shot("view")
        self.quiet("view.html")

    def test_the_joint_that_turns_most_is_chosen_at_first(self):
        self.open("view.html")
        most = self.ask("return posemillPage.names.map((_, j) => Math.max(...Array.from(posemillPage.times, "
                        "(_, k) => posemillPage.valueOf('angleA', j, k))))")
        self.assertEqual(self.state("joint"), int(np.argmax(most)))

    def test_lines_to_a_node_that_only_groups_are_no_bones(self):
        self.posemill("convert", "a.bvh", "plain.gltf", "--quiet")
        document = json.loads((self.folder / "plain.gltf").read_text(encoding="utf-8"))
        nodes, roots = document["nodes"], document["scenes"][0]["nodes"]
        nodes.append({"name": "Armature", "translation": [3.0, 0.0, 0.0], "children": roots})
        document["scenes"][0]["nodes"] = [len(nodes) - 1]
        (self.folder / "grouped.gltf").write_text(json.dumps(document), encoding="utf-8")
        lines = []
        for name in ("plain", "grouped"):
            self.posemill("view", f"{name}.gltf", "-o", f"{name}.html", "--quiet")
            self.posemill("view", f"{name}.gltf", "-o", f"{name}.svg", "--quiet", "--poses", "1")
            self.open(f"{name}.html")
            lines.append((self.ask("const h = JSON.parse(document.getElementById('head').textContent);"
                                   "return h.parents.filter((p) => p >= 0).length"),
                          re.search(r'<path[^>]* d="([^"]*)"', (self.folder / f"{name}.svg").read_text()).group(1).count("M"),
                          self.ask("return posemillPage.figure.length")))
            self.quiet(f"{name}.html")
        self.assertEqual(lines[0], lines[1])
        self.assertEqual(lines[0][0], len(JOINTS) - 1)
        self.assertEqual(lines[0][2], len(JOINTS))

    def test_all_clips_of_a_file_can_be_chosen(self):
        self.posemill("convert", "a.bvh", "clips.gltf", "--quiet")
        document = json.loads((self.folder / "clips.gltf").read_text(encoding="utf-8"))
        first = document["animations"][0]
        hostile = "<img src=x onerror=document.title=1>\u202e"
        turns = [c for c in first["channels"] if c["target"]["path"] == "rotation"]
        document["animations"] = [{**first, "name": "walk"}, {**first, "name": "empty", "channels": []},
                                  {**first, "name": hostile, "channels": turns[SPOILED:SPOILED + 1]}]
        (self.folder / "clips.gltf").write_text(json.dumps(document), encoding="utf-8")
        self.posemill("view", "clips.gltf", "-o", "clips.html", "--quiet")
        self.assertLess((self.folder / "clips.html").stat().st_size, 20_000_000)
        self.open("clips.html")
        select = Select(self.browser.find_element(By.ID, "clip"))
        self.assertEqual([option.text for option in select.options][0], "walk")
        self.assertIn("<img src=x onerror=document.title=1>", select.options[1].text)
        self.assertEqual([option.get_attribute("value") for option in select.options], ["0", "2"])
        self.assertIn("leaves out 1 of the clips", self.browser.find_element(By.TAG_NAME, "header").text)
        moves = "return posemillPage.names.filter((_, j) => posemillPage.valueOf('angleA', j, 20) > 0.01).length"
        self.assertGreater(self.ask(moves), 1)
        select.select_by_value("2")
        WebDriverWait(self.browser, command_case.HANGS).until(
            lambda _: self.ask("return document.readyState === 'complete' && window.posemillPage?.clip === '2'"))
        self.assertEqual(self.ask(moves), 1)
        self.assertEqual(self.state("joint"), self.ask("return posemillPage.names.indexOf(arguments[0])", JOINTS[SPOILED][0]))
        self.assertEqual(len([part for part in self.browser.find_elements(By.CSS_SELECTOR, "#verdict [data-clip]")
                              if part.is_displayed()]), 1)
        self.assertEqual(Select(self.browser.find_element(By.ID, "clip")).first_selected_option.get_attribute("value"), "2")
        self.shot("clips")
        self.quiet("clips.html")
        self.posemill("view", "clips.gltf", "-o", "chosen.html", "--quiet", "--clip", "walk")
        self.open("chosen.html")
        self.assertEqual(self.browser.find_elements(By.ID, "clip"), [])
        self.command("Emulation.setScriptExecutionDisabled", value=True)
        self.browser.get((self.folder / "clips.html").as_uri())
        text = self.browser.find_element(By.ID, "verdict").text
        self.assertIn("Clip walk", text)
        self.assertEqual(text.count("seconds of motion"), 2)

    def test_curves_alone_in_the_frame_of_a_notebook(self):
        """What Motion.plot() of Python shows: the page differs in one line only."""
        text = (self.folder / "view.html").read_text(encoding="utf-8")
        text, count = re.subn(r'class="one" data-joint="\d+"', 'class="one curves-only" data-joint="4"', text)
        self.assertEqual(count, 1)
        (self.folder / "frame.html").write_text(
            '<!DOCTYPE html><link rel="icon" href="data:,"><iframe sandbox="allow-scripts" '
            f'style="width:100%;height:720px;border:0" srcdoc="{html.escape(text)}"></iframe>', encoding="utf-8")
        self.open("frame.html")
        self.browser.switch_to.frame(self.browser.find_element(By.TAG_NAME, "iframe"))
        self.assertEqual(self.state("joint"), 4)
        self.assertFalse(self.browser.find_element(By.ID, "scene").is_displayed())
        for canvas in self.browser.find_elements(By.CSS_SELECTOR, "#plots canvas"):
            self.assertTrue(canvas.is_displayed())
        self.browser.find_element(By.ID, "forth").click()
        self.settle()
        self.assertAlmostEqual(self.state("time"), 1 / 30, delta=1e-6)
        self.browser.switch_to.default_content()
        self.shot("curves-only")
        self.quiet("frame.html")

    def test_odd_motions(self):
        """One frame, one joint, numbers that no float32 holds: a page that says nothing in the console."""
        pair = [("a", -1, (0.0, 0.0, 0.0)), ("b", 0, (0.0, 1.0, 0.0))]
        far = [("a", -1, (0.0, 0.0, 0.0)), ("b", 0, (1e308, 0.0, 0.0)), ("c", 1, (1e308, 0.0, 1.0))]
        huge = np.zeros((5, 9))
        huge[:, 0] = [1e200, -1e300, 0, 5, 1e37]
        for name, joints, rows in (("one", pair, huge[2:3]), ("single", pair[:1], np.zeros((3, 6))),
                                   ("huge", pair, huge), ("far", far, np.zeros((5, 12)))):
            motions.write_bvh(self.folder / f"{name}.bvh", joints, rows, 30)
            self.posemill("compare", f"{name}.bvh", f"{name}.bvh", "-o", "odd.html", "--quiet")
            self.open("odd.html")
            self.press(Keys.ARROW_RIGHT, " ", "1", "f", Keys.ARROW_DOWN)
            self.quiet("odd.html")

    def test_a_long_clip_is_thinned_and_keeps_its_worst_moment(self):
        frames, spoiled = 36001, 20003 # five minutes; no multiple of what a frame stands for
        t = np.arange(frames)[:, None] / 120
        phase = np.random.default_rng(2).uniform(0, 6, 156)
        poses = 0.4 * np.sin(phase + t)
        motions.write_amass(self.folder / "la.npz", poses, 120)
        poses[spoiled, 3 * 9] += 0.2
        motions.write_amass(self.folder / "lb.npz", poses, 120)
        self.posemill("compare", "la.npz", "lb.npz", "-o", "long.html", "--quiet")
        self.assertLess((self.folder / "long.html").stat().st_size, 20e6)
        self.open("long.html")
        self.assertIn("of 36001 times", self.browser.find_element(By.ID, "verdict").text)
        self.assertAlmostEqual(self.state("time"), spoiled / 120, delta=1e-6)
        frame = self.ask("return posemillPage.frameNear(posemillPage.state.time)")
        self.assertAlmostEqual(self.ask("return posemillPage.times[arguments[0]]", frame), spoiled / 120, delta=1e-9)
        self.assertLess(self.ask("return posemillPage.times.length"), frames)
        numbers = json.loads(self.ask("return document.getElementById('numbers').textContent"))
        value = self.ask("return posemillPage.valueOf('angle', 9, arguments[0])", frame)
        self.assertAlmostEqual(value, numbers["clip"]["max_degrees"], delta=2e-6) # float32
        self.assertFalse(self.browser.find_element(By.ID, "skeleton").is_displayed())
        self.quiet("long.html")


if __name__ == "__main__":
    command_case.main()
