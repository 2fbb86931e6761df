"""A receiver of webhooks on this machine."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer


class Receiver:
    """A server of this machine that keeps what it is sent."""

    def __init__(self, status=204, location=None):
        received = self.received = []
        arrived = self.arrived = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.append((dict(self.headers.items()), body))
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.end_headers()
                arrived.set()

            def log_message(self, *_args):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
