#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Moves the points of a ROS bag by the poses of its vehicle, each at its own time, and writes them as LAS.

Requires `pip install rosbags laspy`, which Posemill itself does not.

usage: bag_to_las.py BAG OUT.las [--points TOPIC] [--poses TOPIC] [--time FIELD] [--unit NS]
"""
from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import laspy
import numpy as np
from rosbags.highlevel import AnyReader

import posemill as pm

TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<f4", 8: "<f8"}  # of PointField


def stamp_of(header: Any) -> int:
    """ns, with all digits."""
    return int(header.stamp.sec) * 10**9 + int(header.stamp.nanosec)


def messages(reader: Any, topic: str | None, kinds: tuple[str, ...]) -> Iterator[Any]:
    """The messages of a topic; None: of the only one of these kinds."""
    fitting = [c for c in reader.connections if c.msgtype in kinds and topic in (None, c.topic)]
    if len({c.topic for c in fitting}) != 1:
        raise SystemExit(f"expected one topic of {' or '.join(kinds)}; the bag has "
                         + (", ".join(sorted({c.topic for c in reader.connections})) or "none"))
    for connection, _, raw in reader.messages(connections=fitting):
        yield reader.deserialize(raw, connection.msgtype)


def trajectory_of(reader: Any, topic: str | None) -> pm.Trajectory:
    """Odometry or poses of a vehicle."""
    stamps, rotations, positions = [], [], []
    for message in messages(reader, topic, ("nav_msgs/msg/Odometry", "geometry_msgs/msg/PoseStamped")):
        pose = message.pose if message.pose.__msgtype__ == "geometry_msgs/msg/Pose" else message.pose.pose
        stamps.append(stamp_of(message.header))
        rotations.append([pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w])
        positions.append([pose.position.x, pose.position.y, pose.position.z])
    return pm.Trajectory(np.array(stamps), rotations, positions, "screw")


def records_of(cloud: Any) -> Any:
    """The points as records with the fields that the driver gives them: a view of the message."""
    if cloud.is_bigendian:
        raise SystemExit("the points are big-endian")
    kinds = np.dtype({"names": [f.name for f in cloud.fields], "formats": [TYPES[f.datatype] for f in cloud.fields],
                      "offsets": [f.offset for f in cloud.fields], "itemsize": cloud.point_step})
    rows = np.frombuffer(cloud.data, np.uint8).reshape(cloud.height, cloud.row_step)[:, :cloud.width * cloud.point_step]
    return np.ascontiguousarray(rows).view(kinds).reshape(-1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bag", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--points")
    parser.add_argument("--poses")
    parser.add_argument("--time", default="t", help="the field of times since the stamp of the scan")
    parser.add_argument("--unit", type=int, default=1, help="ns of 1 of integer times; floats are seconds")
    given = parser.parse_args()
    moved, stamps = [], []
    with AnyReader([given.bag]) as reader:
        vehicle = trajectory_of(reader, given.poses)
        for cloud in messages(reader, given.points, ("sensor_msgs/msg/PointCloud2",)):
            points, base = records_of(cloud), stamp_of(cloud.header)
            integer = points[given.time].dtype.kind in "iu"
            valid = np.empty(len(points), bool)
            world = vehicle.transform(points, given.time, base=base, unit=given.unit if integer else None,
                                      outside="invalid", valid=valid, out=np.empty((len(points), 3)))  # float64
            times = points[given.time][valid]
            moved.append(world[valid])
            stamps.append(base + (times.astype(np.int64) * given.unit if integer else np.rint(times * 1e9).astype(np.int64)))
    las = laspy.LasData(laspy.LasHeader(point_format=6, version="1.4"))
    xyz, at = np.concatenate(moved).astype(np.float64), np.concatenate(stamps)
    las.header.offsets, las.header.scales = np.floor(xyz.min(axis=0)), [0.001] * 3
    las.x, las.y, las.z = xyz.T
    las.gps_time = at * 1e-9  # LAS has doubles: 0.2 us at the epoch of Unix
    las.write(given.out)
    print(f"{len(xyz)} points")


if __name__ == "__main__":
    main()
