"""How frames and reports share one byte stream between host and supervisor.

Host to supervisor: `control length, frame length`, the control as JSON, the frame.
Supervisor to host: records `kind, length` and their bytes; DATA carries parts of the child's
reply, a REPORT is the supervisor's own word and ends each exchange.
"""

import struct
from typing import Final

REQUEST: Final = struct.Struct("<II")
RECORD: Final = struct.Struct("<BI")
DATA: Final = 1
REPORT: Final = 2
CHUNK: Final = 1 << 18
MAX_REPLY_HEADERS: Final = 9 << 20
