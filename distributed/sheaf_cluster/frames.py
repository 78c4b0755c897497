"""The frames of docs/embedding-protocol.md. An item is its bytes: UTF-8, or token ids of four bytes each."""

import struct

HELLO, READY, BATCH, VECTORS, ERROR = 1, 2, 3, 4, 5
WHOLE = 0xFFFFFFFF
"""In the place of an item: the batch. In the place of a batch: the process."""
LONGEST = 64 << 20
MOST_ITEMS = 1024


class BadFrame(Exception):
    pass


def frame(kind, payload):
    return struct.pack("<IB", len(payload) + 1, kind) + payload


def header(data):
    """Length of the payload, and its kind. `data`: five bytes."""
    length, kind = struct.unpack("<IB", data)
    if not 1 <= length <= LONGEST:
        raise BadFrame(f"a frame of {length} bytes")
    return length - 1, kind


async def read_frame(reader):
    """Kind and payload of the next frame. None: the stream ended between two frames."""
    start = await reader.read(5)
    if not start:
        return None
    if len(start) < 5:
        start += await reader.readexactly(5 - len(start))
    length, kind = header(start)
    return kind, await reader.readexactly(length)


def batch(number, items, is_tokens):
    parts = [struct.pack("<II", number, len(items))]
    for item in items:
        parts.append(struct.pack("<I", len(item) // 4 if is_tokens else len(item)))
        parts.append(item)
    return frame(BATCH, b"".join(parts))


def parse_batch(payload, is_tokens):
    """Number and items. Error: BadFrame."""
    try:
        number, count = struct.unpack_from("<II", payload)
        at, items = 8, []
        for _ in range(count):
            (length,) = struct.unpack_from("<I", payload, at)
            end = at + 4 + length * (4 if is_tokens else 1)
            if end > len(payload):
                raise BadFrame("an item that ends behind its batch")
            items.append(payload[at + 4 : end])
            at = end
    except struct.error as error:
        raise BadFrame(str(error)) from error
    if at != len(payload) or len(items) > MOST_ITEMS:
        raise BadFrame("a batch of another length than it says")
    return number, items


def vectors(number, rows):
    return frame(VECTORS, struct.pack("<II", number, len(rows)) + b"".join(rows))


def parse_vectors(payload, dimensions):
    """Number and rows, each as its bytes."""
    if len(payload) < 8:
        raise BadFrame("vectors without a number")
    number, count = struct.unpack_from("<II", payload)
    width = dimensions * 4
    if len(payload) != 8 + count * width:
        raise BadFrame(f"{count} vectors of {dimensions} in {len(payload)} bytes")
    return number, [payload[8 + at * width : 8 + (at + 1) * width] for at in range(count)]


def error(number, item, message):
    return frame(ERROR, struct.pack("<II", number, item) + message.encode())


def parse_error(payload):
    if len(payload) < 8:
        raise BadFrame("an error without a number")
    number, item = struct.unpack_from("<II", payload)
    return number, item, payload[8:].decode(errors="replace")
