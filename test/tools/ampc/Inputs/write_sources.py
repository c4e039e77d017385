"""Writes the numbers 1 to 12, as four samples of three, into FOLDER once for each kind of file, plain
and as .gz: write_sources.py FOLDER. The sequences go on to 13."""
import gzip
import io
import json
import os
import struct
import sys
import zipfile

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
numbers = list(range(1, 13))
floats = struct.pack("<12f", *numbers)

header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), }"
header += " " * (-(10 + len(header) + 1) % 64) + "\n"
npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + floats
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
    file.writestr("a.npy", npy)
tensors = json.dumps({"a": {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}}).encode()
lines = [",".join(map(str, numbers[i:i + 3])) for i in range(0, 12, 3)]
files = {
    "x.idx": bytes([0, 0, 8, 2]) + struct.pack(">2I", 4, 3) + bytes(numbers),
    "x.npy": npy,
    "x.npz": archive.getvalue(),
    "x.csv": ("\ufeffa,b,c\r\n" + "\r\n".join(lines)).encode(),
    "x.safetensors": struct.pack("<Q", len(tensors)) + tensors + floats,
    "x.txt": bytes(numbers + [13]),
    "x.bin": struct.pack("<13H", *numbers, 13),
}
for name, data in files.items():
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    with gzip.open(os.path.join(folder, name + ".gz"), "wb") as file:
        file.write(data)
