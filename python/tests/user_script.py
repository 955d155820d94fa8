# SPDX-License-Identifier: MIT
"""What a user writes, checked by ``mypy --strict`` against the types of the installed package."""
import posemill as pm


def names_of_devices() -> list[str]:
    return [device.name for device in pm.devices()]


def main() -> None:
    with pm.Engine(device="none", host_threads=1) as engine:
        kind: str = engine.device.type
    assert kind == "reference"
    try:
        pm.Engine("no such device")
    except pm.DeviceError as error:
        status: str = error.status
        assert status in ("no device", "no platform")
    assert all(names_of_devices())
    print(pm.__version__)


if __name__ == "__main__":
    main()
