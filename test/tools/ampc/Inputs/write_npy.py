"""Writes FILE.npy with f32 numbers: write_npy.py FILE SHAPE [SEED [VALUE]], SHAPE as 4,3; all of
them VALUE, or drawn from [-1, 1)."""
import random
import struct
import sys

path, shape = sys.argv[1], tuple(int(n) for n in sys.argv[2].split(",") if n)
random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
count = 1
for extent in shape:
    count *= extent
header = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
header += " " * (-(10 + len(header) + 1) % 64) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    value = float(sys.argv[4]) if len(sys.argv) > 4 else None
    numbers = (random.uniform(-1, 1) if value is None else value for _ in range(count))
    file.write(struct.pack("<%df" % count, *numbers))
