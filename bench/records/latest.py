# SPDX-License-Identifier: MIT
"""Finds the record that a new one is compared with: among the records of schema 2 below a folder, the
last by date whose processor and device have the same names, and which has a case of the new one with
the same number of samples. Cases of other sizes cannot be compared.
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


def common(record, other):
    """How many cases of both records are of the same size."""
    return sum(name in other.cases and other.cases[name].samples == case.samples
               for name, case in record.cases.items())


def find(folder, path, record):
    """(path, record) of the record that is compared with the given one, or None and a reason."""
    if record.schema < 2:
        return None, "the new record has schema 1, which names no host"
    if record.processor is None:
        return None, "the new record names no processor"
    alike = [(other_path, other) for other_path, other in candidates(folder, path)
             if (other.processor, other.device) == (record.processor, record.device)]
    if not alike:
        return None, f"none has the processor '{record.processor}' and the device '{record.device}'"
    found = [(other.samples == record.samples, other.date, other_path, other)
             for other_path, other in alike if common(record, other)]
    if not found:
        return None, "none of this processor and device has a case of the new record in the same size"
    return max(found, key=lambda one: one[:3])[2:], None
