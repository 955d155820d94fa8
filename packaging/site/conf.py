# SPDX-License-Identifier: MIT
# The pages of the documents, by Sphinx; see packaging/make-docs. Nothing comes from a network when they are read.
import re
from pathlib import Path

project = "Posemill"
version = re.search(r"^version: (\S+)$", Path("CITATION.cff").read_text(encoding="utf-8"), re.M)[1]
html_title = "Posemill"
extensions = ["myst_parser"]
root_doc = "index"
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"page_width": "1150px", "sidebar_width": "240px"}
templates_path = ["templates"]
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_extra_path = ["LICENSE"]
html_copy_source = False
html_show_sphinx = False
# A page of a toctree may be in several; code blocks of consoles and of output have no lexer of their own.
suppress_warnings = ["misc.highlighting_failure", "toc.not_included"]
