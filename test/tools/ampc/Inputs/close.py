"""close.py DIR DIR TOLERANCE: the .npy files of two folders have the same names, shapes and, to
TOLERANCE of the largest magnitude in a file, numbers. close.py FILE NUMBER: all are NUMBER."""
import glob
import os
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    header, body = data[10:10 + length], data[10 + length:]
    assert b"'<f4'" in header, header
    return header, struct.unpack("<%df" % (len(body) // 4), body)


if len(sys.argv) == 3:
    wrong = [v for v in read(sys.argv[1])[1] if v != float(sys.argv[2])]
    sys.exit("expected %s, got %r" % (sys.argv[2], wrong) if wrong else 0)
first, second, tolerance = sys.argv[1], sys.argv[2], float(sys.argv[3])
names = sorted(os.path.basename(p) for p in glob.glob(first + "/*.npy"))
assert names and names == sorted(os.path.basename(p) for p in glob.glob(second + "/*.npy")), names
for name in names:
    (header, a), (other, b) = read(os.path.join(first, name)), read(os.path.join(second, name))
    assert header == other, (name, header, other)
    largest = max(map(abs, a))
    worst = max(abs(x - y) for x, y in zip(a, b))
    if not worst <= tolerance * largest:
        sys.exit("%s differs by %g of %g" % (name, worst, largest))
