"""An engine with the connector's scheduler side and its link, for tests of the agent: commands as lines of JSON in,
one line of JSON out for each.

It computes nothing: what a block holds follows from the tokens up to its end and the adapter, so that a block that was
loaded is known to be right, or not. No vLLM, no torch.
"""

import json
import mmap
import sys
import time
from hashlib import shake_128
from types import SimpleNamespace
from zlib import crc32

from fakes import lora, request

from baton_vllm.desk import Sizes
from baton_vllm.link import AgentLink
from baton_vllm.scheduler import Scheduled, SchedulerSide
from baton_vllm.step import Arena, Report, Step

BLOCK_TOKENS, SEGMENT_TOKENS, BLOCK_BYTES = 32, 64, 1500
PATIENCE_SEC = 20.0


def say(line):
    print(json.dumps(line), flush=True)


def content(req, block):
    """Of a block whose last token is known, or of one that ends with the sequence."""
    tokens = req.all_token_ids[: (block + 1) * BLOCK_TOKENS]
    weights = req.lora_request.lora_path if req.lora_request else ""
    return shake_128(f"{weights}{tokens}".encode()).digest(BLOCK_BYTES)


class Engine:
    """One request at a time; blocks are numbered by their place in it."""

    def __init__(self, socket, hello):
        log = SimpleNamespace(info=self._log, warning=self._log, error=self._log)
        self.link = AgentLink(socket, lambda: hello, log)
        self.side = SchedulerSide(
            self.link, Sizes(BLOCK_TOKENS, SEGMENT_TOKENS, BLOCK_BYTES, ranks=1)
        )
        self.logged = []
        self._arena: Arena | None = None
        self._memory = None
        self.link.start()

    def _log(self, message, *args):
        self.logged.append(message % args)

    def run(
        self, name, prompt_tokens, start, plan=None, step_tokens=None, salt=None, adapter=None, computed=0
    ):
        """A whole request: tokens that came from the agent, how long they were waited for, and what was wrong."""
        named = lora(**adapter) if adapter else None
        req = request(name, prompt_tokens, plan, start, cache_salt=salt, lora_request=named)
        self.side.arrived(req)
        began = time.monotonic()
        while (external := self.side.match(req, computed)) is None:
            if time.monotonic() - began > PATIENCE_SEC:
                return {"fault": "asked again and again"}
            time.sleep(0.001)
        blocks = list(range(-(-prompt_tokens // BLOCK_TOKENS)))
        self.side.allocated(req, blocks, external)
        req.num_computed_tokens, wrong = computed + external, []
        while req.num_computed_tokens < prompt_tokens:
            left = prompt_tokens - req.num_computed_tokens
            tokens = min(left, step_tokens or left)
            step = self.side.build([Scheduled(name, req.num_computed_tokens, tokens, [])])
            req.num_computed_tokens += tokens
            if req.num_computed_tokens == prompt_tokens:
                req.status.name = "FINISHED_LENGTH_CAPPED"
                answer = self.side.finished(req)
            report = self._work(step, req, wrong)
            self.side.took(report, bool(report.failed))
            if report.failed:
                wrong.append("damaged")
        return {"external": external, "answer": answer, "wrong": wrong}

    def _work(self, step: Step, req, wrong) -> Report:
        report = Report()
        if step.arena is not None and step.arena != self._arena:
            self._arena = step.arena
            with open(step.arena.path, "r+b") as file:
                self._memory = mmap.mmap(file.fileno(), step.arena.size_bytes)
        for load in step.loads:
            start = load.page * self._arena.page_bytes
            data = self._memory[start : start + load.bytes]
            if crc32(data) != load.checksum:
                report.failed.add(load.ticket)
                continue
            report.loaded.add(load.ticket)
            for index, block in enumerate(load.blocks, load.skip):
                piece = data[index * BLOCK_BYTES : (index + 1) * BLOCK_BYTES]
                if piece != content(req, block):
                    wrong.append(block)
        for save in step.saves:
            data = b"".join(content(req, block) for block in save.blocks)
            start = save.page * self._arena.page_bytes
            self._memory[start : start + len(data)] = data
            report.saved[save.ticket] = {0: crc32(data)}
        return report


def main():
    engine = Engine(sys.argv[1], json.loads(sys.argv[2]))
    for line in sys.stdin:
        command = json.loads(line)
        if command["op"] == "run":
            del command["op"]
            say(engine.run(**command))
        elif command["op"] == "session":
            session = engine.link.session
            say({"tokenization": session.tokenization if session else None, "log": engine.logged})


main()
