# SPDX-License-Identifier: MIT
"""Words that arguments take, as types: an editor knows them, and a type checker refuses others."""
from __future__ import annotations

from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from ._library import lib, text

__all__ = ["AngleFormat", "AuthoredMethod", "ClipBuilding", "Doubles", "EULER_ORDERS", "Ends", "EndRule", "Floats",
           "Frame", "KeyCurve", "KeyFormat", "Method", "Output", "Singles", "State", "Tangents", "VectorChannel",
           "VectorMethod", "methods"]

AngleFormat = Literal["float32", "int16"]
Method = Literal["slerp", "step", "nlerp", "sterp", "squad", "circular", "circular-c1",
                 "circular-c2", "circular-c3", "hermite", "spline", "bspline", "cubicspline",
                 "ncubic", "cubic"]
AuthoredMethod = Union[Method, Literal["authored"]]
VectorMethod = Literal["auto", "step", "linear", "catmull-rom", "parabolas-c2", "parabolas-c3",
                       "spline", "bspline", "cubicspline"]
KeyCurve = Literal["slerp", "squad", "hermite", "spline"]
Tangents = Literal["bessel", "mean", "hold", "tcb"]
Ends = Literal["chord", "natural", "parabola", "zero"]
ClipBuilding = Literal["auto", "host", "device"]
KeyFormat = Literal["float32", "log48", "smallest48"]
Frame = Literal["body", "parent"]
VectorChannel = Literal["rotations", "positions", "scales"]
EndRule = Literal["fit", "include"]
Output = Literal["palette", "palette_half", "dual", "model", "local", "bounds"]
State = Literal["body_pos", "body_rot", "body_vel", "body_ang_vel", "local_rot", "local_ang_vel", "angle",
                "angle_rate"]

#: float32 or float64, as the keys or the arguments are.
Floats = npt.NDArray[np.floating[Any]]
Singles = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

#: The Euler orders by their names.
EULER_ORDERS: dict[str, int] = {text(lib.pm_euler_order_name(order)): order for order in range(lib.pm_euler_order_count())}


def methods() -> dict[str, str]:
    """The methods of rotations: their names, and what each is.

    Examples
    --------
    >>> import posemill as pm
    >>> sorted(pm.methods())[:3]
    ['bspline', 'circular', 'circular-c1']
    """
    described = [lib.pm_method_get_info(m) for m in range(lib.pm_method_count())]
    return {text(one.name): text(one.title) for one in described}
