"""A passage's text without light Markdown marks (docs/search.md, section 12)."""

import re

BLANK = b" \t\r"
WHITE = bytes(range(33)) + b"\x7f"
ESCAPED = b"\\`*_{}[]<>()#+-.!|~:\"'&"
LETTER = re.compile(rb"[A-Za-z]")

Fence = tuple[int, int]  # mark and length


def _is_word(byte: int) -> bool:
    return byte >= 0x80 or chr(byte).isalnum()


def _run(text: bytes, at: int, end: int) -> int:
    """The length of the run of one byte at a place."""
    length = 1
    while at + length < end and text[at + length] == text[at]:
        length += 1
    return length


def _fence(line: bytes) -> tuple[Fence, bytes] | None:
    """A fence line's mark and length, and its info."""
    line = line.strip(WHITE)
    while line.startswith(b">"):
        line = line[1:].strip(WHITE)
    if line[:1] not in (b"`", b"~"):
        return None
    length = _run(line, 0, len(line))
    info = line[length:].strip(WHITE)
    if length < 3 or (line[:1] == b"`" and b"`" in info):
        return None
    return (line[0], length), info


def _is_rule(line: bytes) -> bool:
    line = line.strip(WHITE)
    strokes = sum(byte in b"-=*_" for byte in line)
    return all(byte in b"-=*_ |:+" for byte in line) and (strokes >= 2 or (strokes == 1 and b"|" in line))


class Writer:
    """Takes the marks off one text. Stretches of it are (begin, end)."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.written = bytearray()
        self.gone: list[tuple[int, int]] = []  # what was written and taken out again
        self.in_list = False
        self.end_of_paragraph()

    def end_of_paragraph(self) -> None:
        self.brackets: list[tuple[int, int]] = []  # where an opening bracket was written, and its length
        self.emphasis: dict[Fence, int] = {}
        self.code = 0

    def write(self, data: bytes) -> None:
        self.written += data.replace(b"\0", b" ")

    def result(self) -> bytes:
        kept = bytearray(b"\1" * len(self.written))
        for begin, end in self.gone:
            kept[begin:end] = bytes(end - begin)
        return bytes(byte for byte, keep in zip(self.written, kept) if keep)

    # -- lines --

    def run(self) -> bytes:
        lines = self._lines()
        fences = [(i, fence) for i, (begin, end) in enumerate(lines) if (fence := _fence(self.text[begin:end]))]
        fence: Fence | None = None
        if len(fences) % 2 == 1:
            at, (mark, info) = fences[0]
            if at > 0 and not info and self.text[slice(*lines[at - 1])].strip(WHITE):
                fence = mark
        blank_before, in_indented = True, False
        for begin, end in lines:
            line = self.text[begin:end]
            found = _fence(line)
            if fence:
                if found and found[0][0] == fence[0] and found[0][1] >= fence[1] and not found[1]:
                    fence, blank_before = None, True
                else:
                    self.write(line.replace(b"\r", b"") + b"\n")
                continue
            if found:
                fence = found[0]
                self.end_of_paragraph()
                continue
            trimmed = line.strip(WHITE)
            if not trimmed:
                self.write(b"\n")
                blank_before = True
                self.end_of_paragraph()
                continue
            is_indented = line.startswith((b"    ", b"\t"))
            is_item = len(trimmed) >= 2 and not _is_word(trimmed[0]) and trimmed[1] in BLANK
            if is_indented and not self.in_list and (blank_before or in_indented) and not is_item:
                self.write(line.replace(b"\r", b"") + b"\n")
                in_indented, blank_before = True, False
                continue
            in_indented = False
            if not is_indented and not line.startswith(b" "):
                self.in_list = False
            if _is_rule(line):
                self.end_of_paragraph()
                blank_before = True
                continue
            blank_before = False
            begin, end, heading = self._prefixes(begin, end)
            row = self.text[begin:end].startswith(b"|")
            if heading or row:
                self.end_of_paragraph()
            rest = self.text[begin:end]
            if not rest.strip(WHITE):
                continue
            if rest.startswith(b"[") and not rest.startswith(b"[^"):
                target = rest.find(b"]")
                if target > 0 and rest[target + 1 : target + 2] == b":" and len(rest) > target + 2:
                    continue
            self._inline(begin, end, row)
            self.write(b"\n")
            if heading or row:
                self.end_of_paragraph()
        return self.result()

    def _lines(self) -> list[tuple[int, int]]:
        lines, begin = [], 0
        for line in self.text.split(b"\n"):
            lines.append((begin, begin + len(line)))
            begin += len(line) + 1
        return lines

    def _trim(self, begin: int, end: int) -> tuple[int, int]:
        part = self.text[begin:end]
        begin += len(part) - len(part.lstrip(WHITE))
        return begin, max(begin, begin + len(part.strip(WHITE)))

    def _prefixes(self, begin: int, end: int) -> tuple[int, int, bool]:
        """What is left of a line without what makes it a quote, an item, a heading; and whether it is a heading."""
        text = self.text
        while True:
            before = begin
            part = text[begin:end]
            begin += len(part) - len(part.lstrip(WHITE))
            if text[begin : begin + 1] == b">" and begin < end:
                begin += 1
            elif match := re.match(rb"[-*+](?=[ \t\r]|$)|[0-9]{1,3}[.)](?=[ \t\r])", text[begin:end]):
                begin += len(match[0])
                self.in_list = True
            if begin == before:
                break
        if end - begin > 4 and re.match(rb"\[[ xX]\][ \t\r]", text[begin:end]):
            begin += 4
        if match := re.match(rb"\[![A-Za-z][^\]]*\]", text[begin:end], re.S):
            begin += len(match[0])
        part = text[begin:end]
        if part.startswith(b":::") or (part[:3] in (b"!!!", b"???") and part[3:4] == b" "):
            self.in_list = self.in_list or not part.startswith(b":")
            begin, end = self._trim(begin + _run(text, begin, end), end)
            space = text[begin:end].find(b" ")
            begin, end = self._trim(end if space < 0 else begin + space, end)
            if end - begin >= 2 and text[begin] == text[end - 1] == ord('"'):
                begin, end = begin + 1, end - 1
            return begin, end, False
        if not (match := re.match(rb"#{1,6}(?=[ \t\r]|$)", part)):
            return begin, end, False
        begin, end = self._trim(begin + len(match[0]), end)
        if text[begin:end].endswith(b"}") and (cut := text[begin:end].rfind(b"{#")) >= 0:
            begin, end = self._trim(begin, begin + cut)
        bare = begin + len(text[begin:end].rstrip(b"#"))
        if bare < end and (bare == begin or text[bare - 1] in BLANK):
            begin, end = self._trim(begin, bare)
        return begin, end, True

    # -- inline --

    def _inline(self, begin: int, end: int, row: bool) -> None:
        text = self.text
        end = begin + len(text[begin:end].rstrip(WHITE))
        at = begin
        if self.code:
            at = self._copy_code(at, end)
        while at < end:
            byte = text[at]
            if byte == ord("\\") and at + 1 < end and text[at + 1] in ESCAPED:
                self.write(text[at + 1 : at + 2])
                at += 2
            elif byte == ord("`"):
                length = _run(text, at, end)
                if length <= 8 and self._closes(at + length, length):
                    self.code = length
                    at = self._copy_code(at + length, end)
                else:
                    self.write(text[at : at + length])
                    at += length
            elif byte in b"*_~":
                at = self._emphasis(at, begin, end)
            elif byte == ord("[") or text[at : min(at + 2, end)] == b"![":
                length = 1 if byte == ord("[") else 2
                self.brackets.append((len(self.written), length))
                self.write(text[at : at + length])
                at += length
            elif byte == ord("]") and self.brackets:
                at = self._closing_bracket(at, end)
            elif byte == ord("|") and row:
                if begin < at < end - 1 and self.written and self.written[-1] not in BLANK:
                    self.write(b" ")
                at += 1
                while at < end and text[at] in BLANK:
                    at += 1
            elif byte == ord("<") and LETTER.match(text, at + 1, end):
                stop = re.compile(rb"[<> ]").search(text, at + 1, end)
                to = stop.start() if stop else end
                if stop and stop[0] == b">" and b"://" in text[at + 1 : to]:
                    self.write(text[at + 1 : to])
                    at = to + 1
                else:
                    self.write(text[at:to])
                    at = to
            else:
                self.write(text[at : at + 1])
                at += 1
        while self.written and self.written[-1] in BLANK:
            del self.written[-1]

    def _closes(self, at: int, length: int) -> bool:
        """Whether a run of exactly so many backticks comes before the next empty line."""
        paragraph = self.text[at:].partition(b"\n\n")[0]
        return any(len(run) == length for run in re.findall(rb"`+", paragraph))

    def _copy_code(self, at: int, end: int) -> int:
        """Copies code up to the end of its span, or of the line."""
        part, passed = self.text[at:end], end
        for run in re.finditer(rb"`+", part):
            if len(run[0]) == self.code:
                part, passed = part[: run.start()], at + run.end()
                self.code = 0
                break
        if len(part) > 2 and part.startswith(b" ") and part.endswith(b" "):
            part = part[1:-1]
        self.write(part)
        return passed

    def _emphasis(self, at: int, begin: int, end: int) -> int:
        text = self.text
        length = _run(text, at, end)
        mark = text[at], length
        place = len(self.written)
        self.write(text[at : at + length])
        if length > 3 or (mark[0] == ord("~") and length != 2):
            return at + length
        before = text[at - 1] if at > begin else ord(" ")
        after = text[at + length] if at + length < end else ord(" ")

        def binds(byte: int) -> bool:
            return _is_word(byte) and (mark[0] == ord("_") or byte < 0x80)

        if mark in self.emphasis and before not in WHITE and not binds(after):
            opened = self.emphasis.pop(mark)
            self.gone += [(opened, opened + length), (place, place + length)]
        elif after not in WHITE and not binds(before):
            self.emphasis[mark] = place
        return at + length

    def _closing_bracket(self, at: int, end: int) -> int:
        text = self.text
        place, length = self.brackets.pop()
        at += 1
        target = None
        if text[at:end].startswith(b"("):
            target = self._target(at + 1, end)
        elif text[at:end].startswith(b"["):
            following = re.compile(rb"[\[\]]").search(text, at + 1, end)
            target = following.end() if following and following[0] == b"]" else None
        if target is not None:
            self.gone.append((place, place + length))
            return target
        if self.written[place + length : place + length + 1] == b"^" and len(self.written) - place < 64:
            self.gone.append((place, len(self.written)))
            if text[at:end].startswith(b":"):
                at += 1
                while at < end and text[at] in BLANK:
                    at += 1
            return at
        self.write(b"]")
        return at

    def _target(self, at: int, end: int) -> int | None:
        """Where a link's target ends, from behind its parenthesis."""
        text = self.text
        depth = 1
        if text[at:end].startswith(b"<"):
            closing = text.find(b">", at, min(end, at + 2048))
            at = closing if closing >= 0 else at
        while at < end:
            byte = text[at]
            at += 1
            if byte == ord("\\"):
                at += 1
            elif byte == ord("("):
                depth += 1
                if depth == 32:
                    return None
            elif byte == ord(")"):
                depth -= 1
                if depth == 0:
                    return at
            elif byte in WHITE:
                while at < end and text[at] in WHITE:
                    at += 1
                if at < end and text[at] in b"\"'":
                    closing = text.find(text[at], at + 1, end)
                    at = closing + 1 if closing >= 0 else end
                    while at < end and text[at] in WHITE:
                        at += 1
                return at + 1 if depth == 1 and text[at:end].startswith(b")") else None
        return None


def without_marks(text: bytes) -> bytes:
    """A text as phrases are looked for in it."""
    return Writer(text).run()
