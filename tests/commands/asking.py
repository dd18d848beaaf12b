"""Asks the server of `tests.commands` for one command, with the streams, the folder and the environment of this process."""

import array
import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as asking:
    asking.connect(sys.argv[1])
    asked = json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode("utf-8", "surrogateescape")
    streams = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
    asking.sendmsg([b"%010d" % len(asked)], streams)
    asking.sendall(asked)
    sys.exit(int(asking.recv(16) or b"1"))
