# SPDX-License-Identifier: MIT
"""The extension module, which cffi generates from the headers of the library."""
from typing import Any

ffi: Any
lib: Any
