# SPDX-License-Identifier: ISC
"""The kernel's audit, as far as a witness asks it: a socket in its place,
answers as linux/audit.h has them, and a log as auditd(8) writes it."""

import os
import socket
import struct
import threading

GET, TRUSTED_APP, ERROR = 1000, 1121, 2


class Audit(threading.Thread):
    """code: of the kernel's refusal, as -1 for EPERM; enabled: its status."""

    def __init__(self, path, code=0, enabled=1):
        super().__init__(daemon=True)
        self.code, self.enabled, self.texts = code, enabled, []
        if os.path.exists(path):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen(8)
        self.start()

    def run(self):
        while True:
            try:
                conn, _ = self.listener.accept()
            except OSError:
                return
            with conn:
                while True:
                    asked = conn.recv(65536)
                    if not asked:
                        break
                    self.answer(conn, asked)

    def answer(self, conn, asked):
        length, kind, _, seq, _ = struct.unpack("=IHHII", asked[:16])
        if self.code == 0 and kind == GET:
            self.send(conn, GET, seq, struct.pack("=10I", 0, self.enabled,
                                                  *[0] * 8))
        if self.code == 0 and kind == TRUSTED_APP:
            self.texts.append(asked[16:length].split(b"\0")[0])
        self.send(conn, ERROR, seq, struct.pack("=i", self.code) + asked[:16])

    @staticmethod
    def send(conn, kind, seq, payload):
        try:
            conn.send(struct.pack("=IHHII", 16 + len(payload), kind, 0, seq,
                                  0) + payload)
        except OSError:
            pass

    def log(self):
        return b"".join(
            b"type=TRUSTED_APP msg=audit(1700000000.%03d:%d): pid=7 uid=0"
            b" auid=1000 ses=3 subj=unconfined msg='%s'\x1dUID=\"root\""
            b" AUID=\"somebody\"\n" % (n % 1000, 400 + n, text)
            for n, text in enumerate(self.texts))

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
