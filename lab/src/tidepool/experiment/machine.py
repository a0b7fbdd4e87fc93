"""What a run was made on and with."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import psutil

import tidepool


def describe() -> dict[str, Any]:
    """The machine as `run.json` holds it."""
    return {
        "os": platform.platform(),
        "cpu_model": _cpu_model(),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_bytes": psutil.virtual_memory().total,
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def versions(java: str) -> dict[str, str]:
    """Versions of what took part; `java` is the program that runs the testbed."""
    return {"tidepool": tidepool.__version__, "python": platform.python_version(), "java": _java_version(java)}


def _java_version(java: str) -> str:
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=True).stderr
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return said.splitlines()[1].strip() if len(said.splitlines()) > 1 else said.strip()
