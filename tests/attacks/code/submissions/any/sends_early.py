"""Catalogue: 7. On: reference. Answers requests that nobody has made yet."""
import os
import struct

for number in range(1, 4):
    body = ('["%s",%d,[["v",true]]]' % ("0" * 32, number)).encode()
    body += b" " * (-len(body) % 16)
    os.write(3, struct.pack("<IIII", 0x31445247, len(body), 0, 0) + body)
