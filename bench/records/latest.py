# SPDX-License-Identifier: MIT
"""Finds the record that a new one is compared with: among the records of schema 2 below a folder, the
last by date whose processor and device have the same names. Records with the same number of samples
are preferred, because cases of other sizes cannot be compared.
"""
import os

from . import document


def paths_of(folder):
    def stop(error):
        raise document.Refused(error.strerror)

    for place, folders, names in os.walk(folder, onerror=stop):
        folders.sort()
        yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(".json"))


def candidates(folder, but):
    """(path, record) of the files that are records of schema 2. Folders of results hold other JSON too."""
    for path in paths_of(folder):
        # A link that leads nowhere is no record; a pipe would be waited for.
        if not os.path.isfile(path) or os.path.samefile(path, but):
            continue
        try:
            members = document.read_json(path)
            if isinstance(members, dict) and members.get("schema") == 2 and "cases" in members:
                yield path, document.record_of(members)
        except document.Refused as refusal:
            raise document.Refused(f"{os.path.relpath(path, folder)}: {refusal}") from refusal


def find(folder, path, record):
    """(path, record) of the record that is compared with the given one, or None and a reason."""
    if record.schema < 2:
        return None, "the new record has schema 1, which names no host"
    if record.processor is None:
        return None, "the new record names no processor"
    found = [(other.samples == record.samples, other.date, other_path, other)
             for other_path, other in candidates(folder, path)
             if (other.processor, other.device) == (record.processor, record.device)]
    if not found:
        return None, f"none has the processor '{record.processor}' and the device '{record.device}'"
    return max(found, key=lambda one: one[:3])[2:], None
