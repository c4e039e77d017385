"""Prints the relative errors of a precision report, each once."""
import re
import sys

text = open(sys.argv[1]).read()
print(*sorted(set(re.findall(r'<td class="n">([0-9.e+-]+|not finite)</td></tr>', text))), sep="\n")
