"""Writes FILE.npy with the numbers 0, 1, 2, ...: typed_npy.py FILE TYPE SHAPE, TYPE one of f8 f4 f2
i4, SHAPE as 4,3."""
import struct
import sys

path, kind, shape = sys.argv[1], sys.argv[2], tuple(int(n) for n in sys.argv[3].split(",") if n)
count = 1
for extent in shape:
    count *= extent
header = "{'descr': '<%s', 'fortran_order': False, 'shape': %r, }" % (kind, shape)
header += " " * (-(10 + len(header) + 1) % 64) + "\n"
letter = {"f8": "d", "f4": "f", "f2": "e", "i4": "i"}[kind]
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack("<%d%s" % (count, letter), *range(count)))
