"""Fails unless every element of an HTML page is closed in order."""
import html.parser
import sys

VOID = {"meta", "br"}


class Check(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            sys.exit(f"</{tag}> at {self.getpos()} closes nothing")


check = Check()
check.feed(open(sys.argv[1]).read())
if check.open:
    sys.exit(f"left open: {check.open}")
