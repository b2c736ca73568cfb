"""Where the suite keeps its folders: in memory where that has room, as making hundreds of them waits for the disk."""

import os
import shutil
from pathlib import Path

ENOUGH = 4 * 2**30
"""Bytes; a run needs less than half of that. A container's default of 64 MB is not enough."""

MEMORY = Path("/dev/shm")

if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
