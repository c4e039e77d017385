"""Writes x.npy, 10 rows of 3 floats, and labels.npy, 10 labels of which one is wrong:
label_files.py DIR POSITION LABEL."""
import os
import struct
import sys


def write(path, kind, shape, data):
    header = repr({"descr": kind, "fortran_order": False, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


folder, position, label = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
labels = [i % 3 for i in range(10)]
labels[position] = label
write(os.path.join(folder, "x.npy"), "<f4", (10, 3), struct.pack("<30f", *[i / 8 for i in range(30)]))
write(os.path.join(folder, "labels.npy"), "<i8", (10,), struct.pack("<10q", *labels))
