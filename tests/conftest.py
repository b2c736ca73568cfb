"""What the whole suite shares: where its folders lie, and what the garbage collector need not look at."""

import gc
import os
import shutil
from pathlib import Path

ENOUGH = 4 * 2**30
"""Bytes; a run needs less than half of that. A container's default of 64 MB is not enough."""

MEMORY = Path("/dev/shm")

# In memory where that has room, as making hundreds of folders waits for the disk.
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# The packages and the tests themselves are never garbage; to look through them again and again took a sixth of a run.
gc.disable()


def pytest_collection_finish():
    gc.collect()
    gc.freeze()
    gc.enable()
