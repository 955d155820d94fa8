#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/command.md, docs/schema, manual pages, the reference, completions and CITATION.cff against the command.

    test_cli_docs.py RUN_COMMANDS POSEMILL
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN_COMMANDS, POSEMILL = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
del sys.argv[1:3]
ROOT = RUN_COMMANDS.resolve().parent.parent
os.environ.setdefault("LSAN_OPTIONS", f"suppressions={ROOT}/tests/lsan.supp") # drivers leak
TYPES = {"string": str, "boolean": bool, "object": dict, "array": list, "null": type(None)}


def schema_of(name):
    """A schema of docs/schema, by a verb or as record."""
    shared = {"edit": "convert", "mirror": "convert", "run": "convert"}
    return json.loads((ROOT / "docs/schema" / f"{shared.get(name, name)}.json").read_text(encoding="utf-8"))


def is_type(value, name):
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def faults(value, schema, at="$", whole=None):
    """What a value has that its schema does not allow: types, required and unknown members."""
    whole = whole or schema
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    unknown = set(schema) - {"$schema", "title", "type", "description", "properties", "required", "items",
                             "additionalProperties", "$defs", "const", "enum", "maxItems", "minimum", "minItems",
                             "pattern"}
    assert not unknown, f"{at}: the schema has {unknown}"
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(is_type(value, name) for name in names):
        return [f"{at} is {json.dumps(value)}, expected {' or '.join(names)}"]
    found = []
    if isinstance(value, list):
        for i, entry in enumerate(value):
            found += faults(entry, schema["items"], f"{at}[{i}]", whole)
    elif isinstance(value, dict):
        assert schema["additionalProperties"] is False, f"{at}: unknown members are allowed"
        members = schema["properties"]
        assert set(schema["required"]) <= set(members), f"{at}: required members are unknown"
        found += [f"{at}.{name} is missing" for name in schema["required"] if name not in value]
        for name, entry in value.items():
            if name in members:
                found += faults(entry, members[name], f"{at}.{name}", whole)
            else:
                found.append(f"{at}.{name} is not in the schema")
    return found


def write_npy(path, kind, shape, numbers):
    code = {"<f4": "f", "<f8": "d"}[kind]
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(numbers)}{code}", *numbers))


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        shutil.copy(ROOT / "examples" / "walk.bvh", self.folder)

    def run_posemill(self, *words, code=0, **environment):
        done = subprocess.run([POSEMILL, *words], cwd=self.folder, capture_output=True, text=True,
                              check=False, env={**os.environ, "POSEMILL_CACHE": "off",
                                                "POSEMILL_DEVICE": "", **environment})
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}")
        return done.stdout

    def holds(self, verb, text, schema=None):
        value = json.loads(text)
        self.assertEqual(faults(value, schema or schema_of(verb)), [], verb)
        return value


class Outputs(Folder):
    """What the command prints now fits the schemas of docs/schema."""

    def test_every_verb_with_json_has_a_schema(self):
        verbs = set()
        text = self.run_posemill("--help").split("Commands:\n")[1].split("\n\n")[0]
        for verb in re.findall(r"^  (\w+)", text, re.M):
            if "--json" in self.run_posemill(verb, "--help"):
                verbs.add(verb)
        # Records of bench are in docs/performance.md, and test_bench_record has their members.
        for verb in verbs - {"bench"}:
            self.assertIn(verb, schema_of(verb)["title"])

    def test_methods(self):
        value = self.holds("methods", self.run_posemill("methods", "--json"))
        self.assertGreater(len(value["methods"]), 10)

    def test_devices(self):
        self.holds("devices", self.run_posemill("devices", "--json", "--no-check"))
        none = self.run_posemill("devices", "--json", OCL_ICD_VENDORS=str(self.folder))
        self.holds("devices", none)

    def test_resample(self):
        for extra in ([], ["--check"]):
            words = ["resample", "walk.bvh", "-o", "out.bvh", "--rate", "60", "--json"]
            value = self.holds("resample", self.run_posemill(*words, "--device", "none", *extra))
            self.assertEqual("identical" in value, extra != [])

    def test_convert(self):
        words = ["convert", "walk.bvh", "out.bvh", "--json"]
        value = self.holds("convert", self.run_posemill(*words))
        self.assertEqual((value["nodes"], value["clips"], value["left_out"]), (21, 1, ""))

    def test_compare(self):
        self.run_posemill("resample", "walk.bvh", "-o", "b.bvh", "--rate", "60", "--device", "none")
        value = self.holds("compare", self.run_posemill("compare", "walk.bvh", "b.bvh", "--json"))
        self.assertEqual((len(value["joints"]), value["times"], value["tolerance"]), (21, 121, None))
        text = self.run_posemill("compare", "walk.bvh", "b.bvh", "--json", "--tolerance", "0,0", code=1)
        self.assertTrue(self.holds("compare", text)["tolerance"]["exceeded"])

    def test_info(self):
        value = self.holds("info", self.run_posemill("info", "walk.bvh", "--json"))
        self.assertEqual((len(value["nodes"]), value["clips"][0]["keys"]), (21, 61))
        self.assertEqual(value["clips"][0]["rate"], "30/1")

    def test_character(self):
        self.run_posemill("character", "walk.bvh")
        path = self.folder / "walk.character.json"
        written = path.read_text(encoding="utf-8")
        self.holds("character", written)
        value = self.holds("character", self.run_posemill("character", "walk.bvh", "--json"))
        self.assertEqual([chain["name"] for chain in value["chains"]],
                         ["left arm", "right arm", "left leg", "right leg", "gaze"])
        self.run_posemill("character", "walk.bvh", "-o", "page.html")
        self.assertIn("left leg: two_bones, limit 0.97", (self.folder / "page.html").read_text(encoding="utf-8"))
        self.assertEqual(path.read_text(encoding="utf-8"), written)
        path.write_text(written.replace('"LeftHand"', '"LeftHnad"'), encoding="utf-8")
        done = subprocess.run([POSEMILL, "character", "walk.bvh"], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn("walk.character.json: chains[0].joints[2] is 'LeftHnad'; expected a joint; "
                      "did you mean 'LeftHand'?", done.stderr)

    def test_list(self):
        os.symlink("none", self.folder / "gone.bvh")
        text = self.run_posemill("list", ".", "-o", "list.jsonl", "--json", code=1)
        value = self.holds("list", text)
        self.assertEqual((value["files"], len(value["faults"])), (1, 1))

    def test_resample_prints_a_record_for_each_file(self):
        shutil.copy(self.folder / "walk.bvh", self.folder / "other.bvh")
        (self.folder / "broken.bvh").write_text("HIERARCHY\n")
        text = self.run_posemill("resample", "walk.bvh", "other.bvh", "broken.bvh", "--out-dir", "out",
                                 "--rate", "x2", "--json", "--check", "--device", "none", code=1)
        schema = schema_of("record")
        lines = text.splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines:
            self.holds("record", line, schema)
        records = (self.folder / "out/.posemill/records-0.jsonl").read_text()
        self.assertEqual(sorted(records.splitlines()), sorted(lines))

    def test_merge(self):
        words = ["resample", "walk.bvh", "--out-dir", "out", "--rate", "x2", "--device", "none"]
        self.run_posemill(*words)
        value = self.holds("merge", self.run_posemill("merge", "out", "--json"))
        self.assertEqual((value["done"], value["frames"]), (1, 121))
        failure = {"name": "b\ufffd", "name_bytes": "62ff", "in": "b", "status": "failed", "code": 4}
        (self.folder / "b.jsonl").write_text(json.dumps(failure) + "\n", encoding="utf-8")
        (self.folder / "list").write_text("a.bvh\nwalk.bvh\n", encoding="utf-8")
        words = ["merge", "out", "b.jsonl", "--list", "list", "--json"]
        value = self.holds("merge", self.run_posemill(*words, code=1))
        self.assertEqual((value["failed"], value["missing"], value["unlisted"]), (1, 1, 1))

    def test_eval(self):
        write_npy(self.folder / "k.npy", "<f8", (2, 1, 4), [0, 0, 0, 1, 0, 0.6, 0, 0.8])
        words = ["eval", "--keys", "k.npy", "--key-rate", "2", "--rate", "10", "--method", "slerp",
                 "--out", "o.npy", "--device", "none", "--json"]
        value = self.holds("eval", self.run_posemill(*words))
        self.assertIsNone(value["velocity"])
        value = self.holds("eval", self.run_posemill(*words, "--velocity", "v.npy"))
        self.assertEqual((value["velocity"], value["samples"]), ("v.npy", 6))

    def test_verify(self):
        words = ["verify", "--samples", "1000", "--json", "--device", "none"]
        self.assertTrue(self.holds("verify", self.run_posemill(*words))["passed"])

class Documents(Folder):
    """The documents have what the command prints, and name its options."""

    def check(self, posemill):
        return subprocess.run([sys.executable, RUN_COMMANDS, "--check", posemill], text=True,
                              capture_output=True, check=False)

    def test_the_documents_are_up_to_date(self):
        done = self.check(POSEMILL)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_the_citation_has_the_version(self):
        version = self.run_posemill("--version").split()[1]
        citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
        self.assertIn(f"\nversion: {version}\n", citation)


class Help(Folder):
    """Manual pages and completions name what --help names."""

    def verbs(self):
        text = self.run_posemill("--help").split("Commands:\n")[1].split("\n\n")[0]
        return re.findall(r"^  (\w+)", text, re.M)

    def options(self, verb):
        return set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", self.run_posemill(verb, "--help=all"), re.M))

    def test_pages_have_all_options(self):
        for verb in self.verbs():
            page = self.run_posemill("help", "--man", verb).replace("\\-", "-")
            self.assertIn(f".SH NAME\nposemill-{verb} - ", page)
            self.assertEqual(set(re.findall(r"^(?:\\fB-\w\\fR, )?\\fB(--[a-z-]+)", page, re.M)),
                             self.options(verb), verb)
        self.assertEqual(self.run_posemill("help", "--commands").split(), self.verbs())
        page = self.run_posemill("help", "--man")
        for verb in self.verbs():
            self.assertIn(f"\\fBposemill\\-{verb}\\fR(1)", page)

    def test_the_reference_has_all_commands_and_options(self):
        verbs, *rest = re.split(r"^## Options of (\w+)\n", self.run_posemill("help", "--markdown"), flags=re.M)
        topics = dict(zip(rest[::2], rest[1::2]))
        sections = re.split(r"^## posemill (\w+)\n", verbs, flags=re.M)
        self.assertEqual(sections[1::2], self.verbs())
        for verb, section in zip(sections[1::2], sections[2::2]):
            named = re.findall(r"\(#options-of-(\w+)\)", section)
            found = set(re.findall(r"^\| (?:`-\w`, )?`(--[a-z-]+)", section, re.M))
            there = set(re.findall(r"`(--[a-z-]+)", "".join(topics[topic] for topic in named)))
            self.assertLessEqual(found, self.options(verb), verb)
            self.assertLessEqual(self.options(verb), found | there, verb)
            self.assertEqual(self.run_posemill("help", "--markdown", verb).strip(),
                             f"## posemill {verb}\n{section}".strip())
            table = [line for line in section.split("```")[0::2] for line in line.split("\n") if line.startswith("|")]
            for line in table:
                self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 3, line) # two cells

    def test_pages_are_well_formed(self):
        if shutil.which("mandoc") is None:
            self.skipTest("mandoc is not installed")
        for verb in ["", *self.verbs()]:
            page = self.folder / "page.1"
            page.write_text(self.run_posemill("help", "--man", *([verb] if verb else [])))
            done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], capture_output=True,
                                  text=True, check=False)
            said = [line for line in done.stdout.splitlines() if "missing date" not in line]
            self.assertEqual(said, [], verb)

    def complete(self, *words):
        """What bash offers for the last word."""
        script = self.folder / "posemill.bash"
        script.write_text(self.run_posemill("completions", "bash"))
        line = " ".join(f"'{word}'" for word in words)
        text = (f". {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _posemill; "
                "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-euc", text], capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    def test_bash_completes_commands_options_and_methods(self):
        self.assertEqual(self.complete("posemill", "re"), {"reduce", "resample"})
        self.assertLessEqual({"help", "completions", "view", "--version"}, self.complete("posemill", ""))
        for verb in self.verbs():
            self.assertEqual({word for word in self.complete("posemill", verb, "--")
                              if word.startswith("--")}, self.options(verb), verb)
        self.assertEqual(self.complete("posemill", "resample", "--method", "circular-c"),
                         {"circular-c1", "circular-c2", "circular-c3"})
        self.assertEqual(self.complete("posemill", "resample", "--method", "=", "circular-c"),
                         {"circular-c1", "circular-c2", "circular-c3"})
        self.assertIn("squad", self.complete("posemill", "resample", "--method", "="))
        self.assertEqual(self.complete("posemill", "help", "re"), {"reading", "reduce", "resample"})
        self.assertEqual(self.complete("posemill", "convert", "--to-up", ""), {"keep", "y", "z"})
        self.assertEqual(self.complete("posemill", "view", "--from", "=", "s"), {"side"})
        self.assertEqual(self.complete("posemill", "completions", ""), {"bash", "zsh", "fish"})
        self.assertEqual(self.complete("posemill", "resample", "--out", "--"), set()) # a file
        self.assertEqual(self.complete("posemill", "resample", "--out", "=", "--"), set())
        self.assertEqual(self.complete("posemill", "resample", "walk"), set())

    @unittest.skipIf(shutil.which("fish") is None, "fish is not installed")
    def test_fish_completes_commands_options_and_methods(self):
        script = self.folder / "posemill.fish"
        script.write_text(self.run_posemill("completions", "fish"))

        def offered(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
                                  capture_output=True, text=True, check=True)
            return {row.split("\t")[0] for row in done.stdout.splitlines()}

        self.assertEqual(offered("posemill re"), {"reduce", "resample"})
        self.assertEqual(offered("posemill help re"), {"reading", "reduce", "resample"})
        self.assertEqual(offered("posemill convert --to-up "), {"keep", "y", "z"})
        self.assertEqual(offered("posemill completions "), {"bash", "zsh", "fish"})
        self.assertLessEqual({"--help", "--version"}, offered("posemill --"))
        for verb in self.verbs():
            self.assertEqual({word.rstrip("=") for word in offered(f"posemill {verb} --")}, self.options(verb), verb)
        self.assertEqual(offered("posemill resample --method circular-c"), {"circular-c1", "circular-c2", "circular-c3"})

    def test_scripts_are_valid(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.run_posemill("completions", shell)
            for verb in self.verbs():
                for option in self.options(verb):
                    self.assertIn(option[2:], text)
            if shutil.which(shell) is None:
                continue
            done = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def test_a_wrong_word_is_refused(self):
        self.run_posemill("completions", code=2)
        self.run_posemill("completions", "tcsh", code=2)
        self.run_posemill("completions", "man", code=2)
        self.run_posemill("completions", "markdown", code=2)
        self.run_posemill("help", "--markdown", "resampel", code=2)
        self.run_posemill("help", "--man", "resampel", code=2)
        self.run_posemill("resample", "--help=pdf", code=2)


if __name__ == "__main__":
    unittest.main()
