"""limited.py BYTES COMMAND...: runs the command where no file may be larger."""
import os, resource, signal, sys

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it
os.execvp(sys.argv[2], sys.argv[2:])
