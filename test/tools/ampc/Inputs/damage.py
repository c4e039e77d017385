"""Spoils files of a cache: damage.py FOLDER ENDING writes nonsense to those with the ending; with a third
argument, a folder, their contents are those of the file there with that ending."""
import pathlib
import sys

files = sorted(pathlib.Path(sys.argv[1]).glob("*" + sys.argv[2]))
if not files:
    sys.exit("there is no such file")
contents = b"damaged"
if len(sys.argv) > 3:
    contents = next(pathlib.Path(sys.argv[3]).glob("*" + sys.argv[2])).read_bytes()
for file in files:
    file.write_bytes(contents)
