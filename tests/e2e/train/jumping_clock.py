"""Gives processes a wall clock that jumps.

    clock = jumping_clock.JumpingClock(folder)
    process = subprocess.Popen(command, env={**environment, **clock.environment()})
    clock.jump(-3600)

A wait that follows the wall clock lasts longer when it is set back, and ends when it
is set forward, as where somebody really sets it.
"""

import mmap
import struct

import harness

LIBRARY = harness.BINARY_DIR / "tests/libstowage_jumping_clock.so"


class JumpingClock:

    def __init__(self, folder):
        self.path = folder / "clock"
        self.path.write_bytes(bytes(8))
        with open(self.path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 8)

    def environment(self):
        return {"LD_PRELOAD": str(LIBRARY), "STOWAGE_TEST_CLOCK": str(self.path)}

    def jump(self, seconds):
        """Sets the clock forward by so many seconds, or back."""
        offset, = struct.unpack("d", self.page[:])
        self.page[:] = struct.pack("d", offset + seconds)
