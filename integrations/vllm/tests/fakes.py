"""An agent without a process, and requests as vLLM has them."""

from itertools import count
from types import SimpleNamespace

from baton_vllm.desk import Sizes
from baton_vllm.link import COMPLETE, HELD_ALREADY, LoadedPage, PendingLoad, Session
from baton_vllm.scheduler import Scheduled, SchedulerSide
from baton_vllm.step import Arena, Report

SIZES = Sizes(block_tokens=32, segment_tokens=64, part_bytes=100, ranks=1)


class FakeLink:
    """Answers as an agent would; `held` are its pages by key. What has no answer is answered by the test."""

    def __init__(self):
        self.linked = Session(1, "w", "tok", Arena("/arena", 1 << 20, 4096))
        # Left alone for a while, as it was slow.
        self.is_left_alone = False
        self.held: dict[bytes, int] = {}
        self.sent: list[tuple[str, dict]] = []
        self.is_slow = self.waits = False
        self.was_slow = 0
        self.loads: list[tuple[dict, PendingLoad]] = []
        self.tail = None
        self._pages = count(100)
        self.leases: dict[str, str] = {}
        self.refuses = False

    @property
    def session(self):
        return None if self.is_left_alone else self.linked

    def begin_load(self, session, request):
        load = PendingLoad(session.number)
        self.loads.append((request, load))
        self.leases[request["request_id"]] = "load"
        if not self.waits and not self.is_slow:
            self.answer()
        return load

    def answer(self, transferred=False):
        """Gives what is held, and ends."""
        request, load = self.loads[-1]
        keys = split(request["keys"])
        for key in keys:
            if key not in self.held:
                break
            load.pages.append(LoadedPage(self.held[key], 200, 7, transferred))
        load.end(len(load.pages) == len(keys), "", self.tail)

    def wait(self, load, seconds):
        return load.ended

    def forget_load(self, request_id): ...

    def reserve(self, session, request):
        if self.is_slow:
            return None
        self.sent.append(("reserve", request))
        self.leases[request["request_id"]] = "keep"
        pages = [
            HELD_ALREADY if key in self.held else next(self._pages) for key in split(request["keys"])
        ]
        reply = {"pages": pages, "tail_page": next(self._pages), "refused": False}
        return {"pages": [], "tail_page": 0, "refused": True} if self.refuses else reply

    def send(self, message, session):
        if self.linked is None or session != self.linked.number:
            return False
        ((kind, body),) = message.items()
        self.sent.append((kind, body))
        if kind == "commit":
            self.held[body["key"]] = body["page"]
        if kind == "damaged":
            del self.held[body["key"]]
        if kind == "ended":
            self.leases.pop(body["request_id"], None)
        return True

    def slow(self, what):
        self.was_slow += 1

    def of(self, kind):
        """What was sent of a kind, and not asked for before."""
        found = [body for sent, body in self.sent if sent == kind]
        self.sent = [entry for entry in self.sent if entry[0] != kind]
        return found


def split(keys):
    return [keys[i : i + 16] for i in range(0, len(keys), 16)]


def request(name, prompt_tokens, plan=None, start=0, **fields):
    """As vLLM's Request; `plan` is what Baton's gateway writes."""
    ids = list(range(start, start + prompt_tokens))
    given = {
        "request_id": name,
        "all_token_ids": ids,
        "num_prompt_tokens": prompt_tokens,
        "num_computed_tokens": 0,
        "num_tokens": prompt_tokens,
        "cache_salt": None,
        "lora_request": None,
        "mm_features": [],
        "prompt_embeds": None,
        "skip_reading_prefix_cache": False,
        "kv_transfer_params": {"baton": plan} if plan else None,
        "status": SimpleNamespace(name="WAITING"),
    }
    return SimpleNamespace(**{**given, **fields})


def lora(name, path, load_inplace=False):
    """As vLLM's LoRARequest."""
    return SimpleNamespace(lora_name=name, lora_path=path, load_inplace=load_inplace)


def image(offset, identifier):
    """As one of vLLM's mm_features."""
    position = SimpleNamespace(offset=offset, length=20)
    return SimpleNamespace(identifier=identifier, mm_position=position)


class Engine:
    """A scheduler that runs one request at a time, and workers that do what they are told."""

    def __init__(self, link=None, sizes=SIZES):
        self.link = link or FakeLink()
        self.side = SchedulerSide(self.link, sizes)
        self.fails: set[int] = set()
        self._blocks = count(1)

    def admit(self, req, computed=0):
        """Tokens that come from the agent; None while they are on their way."""
        self.side.arrived(req)
        external = self.side.match(req, computed)
        if external is None:
            return None
        blocks = [next(self._blocks) for _ in range(-(-(req.num_tokens + 1) // 32))]
        self.side.allocated(req, blocks, external)
        req.num_computed_tokens = computed + external
        req.status.name = "RUNNING"
        return external

    def step(self, req, tokens=None, new_blocks=0):
        """One step of the request: all of it unless `tokens` are given; the step as the workers got it."""
        tokens = tokens or req.num_tokens - req.num_computed_tokens
        fresh = [next(self._blocks) for _ in range(new_blocks)]
        step = self.side.build([Scheduled(req.request_id, req.num_computed_tokens, tokens, fresh)])
        req.num_computed_tokens += tokens
        return step

    def report(self, step, dropped=False):
        """The workers did it all, but for pages in `fails`."""
        report = Report()
        for load in step.loads:
            (report.failed if load.page in self.fails else report.loaded).add(load.ticket)
        for save in step.saves:
            if dropped or report.failed:
                report.dropped.add(save.ticket)
            else:
                report.saved[save.ticket] = {0: 11}
        self.side.took(report, bool(report.failed))

    def end(self, req, status="FINISHED_STOPPED"):
        req.status.name = status
        return self.side.finished(req)

    def run(self, req, computed=0):
        """A whole request of one step; tokens from the agent and what is said of it."""
        external = self.admit(req, computed)
        step = self.step(req)
        answer = self.end(req)
        self.report(step)
        return external, answer


__all__ = ["COMPLETE", "SIZES", "Engine", "FakeLink", "request", "split"]
