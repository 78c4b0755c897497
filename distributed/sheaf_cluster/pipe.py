"""Joins stdin and stdout to a Unix socket: what a packer starts as its encoder. Alone in its file, since it runs by itself."""

import os
import socket
import sys
import threading

end = socket.socket(socket.AF_UNIX)
end.connect(sys.argv[1])


def up():
    while data := os.read(0, 1 << 16):
        end.sendall(data)
    end.shutdown(socket.SHUT_WR)


threading.Thread(target=up, daemon=True).start()
while data := end.recv(1 << 16):
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]
