"""Runs a command and fails unless it ends with the given exit code: code.py CODE COMMAND..."""
import subprocess
import sys

found = subprocess.run(sys.argv[2:]).returncode
if found != int(sys.argv[1]):
    sys.exit("expected exit code %s, got %d" % (sys.argv[1], found))
