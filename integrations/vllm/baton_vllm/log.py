"""What is said to people: the part of logging.Logger that is used here, so that tests need no vLLM."""

from typing import Any, Protocol


class Log(Protocol):
    """vLLM prints only loggers below `vllm.`: connector.py makes one."""

    def info(self, message: str, *args: Any) -> None: ...

    def warning(self, message: str, *args: Any) -> None: ...

    def error(self, message: str, *args: Any) -> None: ...
