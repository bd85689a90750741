"""The engine's end of the link to its agent: a thread that keeps the connection, and questions with an end.

Frames are u32 LE length and a message (messages.py). The thread connects, says hello, reads, and says something
every second; the scheduler's thread sends and waits. Whatever the agent does, a question ends: with its answer,
after its time, or when the link is cut. After a question that was not answered in time the agent counts as slow,
and nothing is asked for a second.
"""

import selectors
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from baton_vllm.codec import Message, decode, encode
from baton_vllm.log import Log
from baton_vllm.step import Arena

# How long the scheduler's thread waits for an answer that needs no transfer.
ANSWER_SEC = 0.2
# After an answer that did not come.
BACK_OFF_SEC = 1.0
# Something is said at least so often, and who hears nothing for the longer time takes the other for hung.
WORD_SEC = 1.0
SILENCE_SEC = 3.0
# Between two reports of a load that changes; the last one follows by itself.
LOAD_PAUSE_SEC = 0.05

HELD_ALREADY = 0xFFFFFFFF
COMPLETE = 1

_FIRST_PAUSE_SEC, _MAX_PAUSE_SEC = 0.02, 1.0
_MAX_FRAME_BYTES = 1024 * 1024
_LOOK_SEC = 0.25


@dataclass(frozen=True)
class Session:
    """One connection on which the agent has accepted the engine. Pages of another one mean nothing here."""

    number: int
    worker_id: str
    tokenization: str
    arena: Arena


@dataclass(frozen=True)
class LoadedPage:
    """A segment that the agent holds in a page, leased to who asked."""

    page: int
    bytes: int
    checksum: int
    transferred: bool


class PendingLoad:
    """What a LoadRequest has brought so far, in order. Grows until it has ended."""

    def __init__(self, session: int):
        self.session = session
        self.pages: list[LoadedPage] = []
        self.ended = False
        self.complete = False
        self.message = ""
        self.tail: Message | None = None

    def end(self, complete: bool, message: str, tail: Message | None = None) -> None:
        """No page comes after it."""
        self.complete, self.message, self.tail = complete, message, tail
        self.ended = True


class AgentLink:
    """All methods but those with an underscore are the scheduler thread's."""

    def __init__(self, path: str, hello: Callable[[], Message], log: Log):
        self._path, self._hello, self._log = path, hello, log
        self._socket: socket.socket | None = None
        self._session: Session | None = None
        self._count = 0
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self._loads: dict[str, PendingLoad] = {}
        self._reserved: dict[str, Message | None] = {}
        self._load: Message = {}
        self._load_sent: Message = {}
        self._load_sent_at = self._heard_at = self._asks_from = 0.0
        self._is_closed = False
        self._said = ""
        self._was_linked = False
        self._thread = threading.Thread(target=self._run, name="baton-agent", daemon=True)

    def start(self) -> None:
        """Connects, and after a cut again for ever."""
        self._thread.start()

    def close(self) -> None:
        """For good."""
        self._is_closed = True
        self._cut("the engine stops")

    @property
    def session(self) -> Session | None:
        """None while there is no agent that answers."""
        now = time.monotonic()
        if now < self._asks_from or now - self._heard_at > SILENCE_SEC:
            return None
        return self._session

    @property
    def linked(self) -> Session | None:
        """Also while the agent is slow and left alone: what it is told, it reads when it can."""
        return self._session

    def send(self, message: Message, session: int) -> bool:
        """False when it is lost: there is no agent, or it is another one than that of `session`."""
        current = self._session
        return current is not None and current.number == session and self._send(message)

    def begin_load(self, session: Session, request: Message) -> PendingLoad:
        """Asks for segments; never waits."""
        load = PendingLoad(session.number)
        with self._changed:
            self._loads[request["request_id"]] = load
        if not self.send({"load_segments": request}, session.number):
            self._forget_load(request["request_id"], "the agent is gone")
        return load

    def wait(self, load: PendingLoad, seconds: float) -> bool:
        """True when the load has ended, at the latest after so long."""
        with self._changed:
            return self._changed.wait_for(lambda: load.ended, seconds)

    def forget_load(self, request_id: str) -> None:
        """Nothing is taken in for it any more."""
        self._forget_load(request_id, "nobody waits")

    def reserve(self, session: Session, request: Message) -> Message | None:
        """The agent's ReserveReply; None when there is none in time."""
        request_id = request["request_id"]
        with self._changed:
            self._reserved[request_id] = None
            if self.send({"reserve": request}, session.number):
                self._changed.wait_for(
                    lambda: self._reserved[request_id] or self._number != session.number, ANSWER_SEC
                )
            reply = self._reserved.pop(request_id)
        if reply is None:
            self.slow("did not grant pages in time")
        return reply

    def slow(self, what: str) -> None:
        """The agent has not answered: it is left alone for a while."""
        self._asks_from = time.monotonic() + BACK_OFF_SEC
        self._say(f"the agent {what}; vLLM computes on without it")

    def report_load(self, load: Message) -> None:
        """How busy the engine is; told now, or with the next word if it was told just now."""
        self._load = load
        is_due = time.monotonic() - self._load_sent_at >= LOAD_PAUSE_SEC
        if is_due and load != self._load_sent and self._session is not None:
            self._send_load()

    @property
    def _number(self) -> int:
        return self._session.number if self._session else 0

    def _run(self) -> None:
        pause = _FIRST_PAUSE_SEC
        while not self._is_closed:
            try:
                self._talk()
            except Exception as error:
                # Whatever an agent sends, vLLM goes on, and the next one is heard.
                self._cut(str(error) or repr(error))
            if self._was_linked:
                pause = _FIRST_PAUSE_SEC
            time.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE_SEC)

    def _talk(self) -> None:
        """One connection, until it ends; raises why."""
        self._was_linked = False
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(ANSWER_SEC)
        self._socket = sock
        sock.connect(self._path)
        if not self._send({"hello": self._hello()}):
            raise OSError("the hello could not be sent")
        with selectors.DefaultSelector() as selector:
            selector.register(sock, selectors.EVENT_READ)
            pending = bytearray()
            while not self._is_closed:
                if selector.select(_LOOK_SEC):
                    self._read(sock, pending)
                is_new = self._session is not None and self._load != self._load_sent
                if is_new or time.monotonic() - self._load_sent_at >= WORD_SEC:
                    self._send_load()

    def _read(self, sock: socket.socket, pending: bytearray) -> None:
        data = sock.recv(1 << 16)
        if not data:
            raise OSError("closed by the agent")
        pending += data
        for payload in _frames(pending):
            self._receive(decode("AgentMessage", payload))

    def _receive(self, message: Message) -> None:
        self._heard_at = time.monotonic()
        if "refused" in message:
            raise OSError(f"refused: {message['refused']['message']}")
        if "hello" in message:
            return self._accepted(message["hello"])
        if "export" in message:
            # Segments that only the engine's own cache holds are not given away; see README.
            reply = {"export_id": message["export"]["export_id"]}
            self._send({"export_reply": reply})
            return None
        with self._changed:
            if "segment" in message:
                self._segment(message["segment"])
            elif "load_end" in message:
                self._load_end(message["load_end"])
            elif "reserved" in message:
                reply = message["reserved"]
                if reply["request_id"] in self._reserved:
                    self._reserved[reply["request_id"]] = reply
            self._changed.notify_all()
        return None

    def _accepted(self, hello: Message) -> None:
        self._count += 1
        arena = Arena(hello["arena_path"], hello["arena_bytes"], hello["page_bytes"])
        session = Session(self._count, hello["worker_id"], hello["tokenization"], arena)
        self._was_linked, self._said, self._asks_from = True, "", 0.0
        self._session = session
        self._send_load()
        self._log.info(
            "baton: linked to the agent of %s, arena of %d pages of %d bytes",
            session.worker_id,
            hello["page_count"],
            hello["page_bytes"],
        )

    def _segment(self, segment: Message) -> None:
        load = self._loads.get(segment["request_id"])
        if load is None or load.ended:
            return
        page, size, checksum = segment["page"], segment["bytes"], segment["checksum"]
        load.pages.append(LoadedPage(page, size, checksum, segment["transferred"]))

    def _load_end(self, end: Message) -> None:
        load = self._loads.pop(end["request_id"], None)
        if load is not None:
            load.end(end["status"] == COMPLETE, end["message"], end.get("tail"))

    def _forget_load(self, request_id: str, message: str) -> None:
        with self._changed:
            load = self._loads.pop(request_id, None)
            if load is not None:
                load.end(False, message)

    def _send_load(self) -> None:
        self._load_sent_at, self._load_sent = time.monotonic(), self._load
        self._send({"load": {"load": self._load_sent}})

    def _send(self, message: Message) -> bool:
        payload = encode("EngineMessage", message)
        if len(payload) > _MAX_FRAME_BYTES:
            self._say(f"a message of {len(payload)} bytes is longer than the link allows")
            return False
        with self._sending:
            sock = self._socket
            if sock is None:
                return False
            try:
                sock.sendall(struct.pack("<I", len(payload)) + payload)
                return True
            except OSError:
                # What was sent may be half a frame: the reading side finds the connection shut, and begins anew.
                self._shut(sock)
                return False

    def _cut(self, reason: str) -> None:
        with self._sending:
            sock, self._socket = self._socket, None
            if sock is not None:
                self._shut(sock)
                sock.close()
        with self._changed:
            self._session = None
            for load in self._loads.values():
                load.end(False, "the link to the agent was cut")
            self._loads.clear()
            self._changed.notify_all()
        if not self._is_closed:
            self._say(f"no agent at {self._path}: {reason}; vLLM computes without it")

    @staticmethod
    def _shut(sock: socket.socket) -> None:
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It was not connected any more.
            return

    def _say(self, what: str) -> None:
        if what != self._said:
            self._log.warning("baton: %s", what)
        self._said = what


def _frames(pending: bytearray) -> list[bytes]:
    """The payloads that are complete; what is left stays in `pending`."""
    payloads, at = [], 0
    while len(pending) - at >= 4:
        (length,) = struct.unpack_from("<I", pending, at)
        if not 1 <= length <= _MAX_FRAME_BYTES:
            raise ValueError(f"frame of {length} bytes, 1 to {_MAX_FRAME_BYTES} allowed")
        if len(pending) - at - 4 < length:
            break
        payloads.append(bytes(pending[at + 4 : at + 4 + length]))
        at += 4 + length
    del pending[:at]
    return payloads
