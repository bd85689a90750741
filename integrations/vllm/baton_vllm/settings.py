"""What the connector is told in `kv_connector_extra_config`."""

import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

# What the system takes, with the byte that ends it.
_SOCKET_PATH_BYTES = 108


@dataclass(frozen=True)
class Settings:
    """`kv_connector_extra_config`."""

    # The agent's Unix socket.
    agent: str
    # Where Baton's gateway and agent reach this engine's API.
    url: str

    @classmethod
    def read(cls, given: dict[str, Any]) -> "Settings":
        """Raises ValueError with the name of the field."""
        # MultiConnector and vLLM have their own names in it; a slip in one of ours would go unseen otherwise.
        for name, example in (("agent", "/run/baton/a.sock"), ("url", "http://10.0.0.1:8000")):
            value = given.get(name)
            if not isinstance(value, str) or not value:
                raise ValueError(
                    f"baton: kv_connector_extra_config.{name} is missing; give it as "
                    f'{{"{name}": "{example}"}}'
                )
        return cls(agent=_socket_path(given["agent"]), url=_engine_url(given["url"]))


def _socket_path(path: str) -> str:
    """One that can be connected to; that nobody listens there yet is no fault."""
    size = len(os.fsencode(path))
    if "\0" in path or size >= _SOCKET_PATH_BYTES:
        raise ValueError(
            "baton: kv_connector_extra_config.agent must be the path of a socket, of less than "
            f"{_SOCKET_PATH_BYTES} bytes; {path!r} with {size} is none"
        )
    return path


def _engine_url(url: str) -> str:
    """Scheme, host and path, to which paths of the API are added; a key in it would be in every log."""
    if not _is_plain(url):
        raise ValueError(
            "baton: kv_connector_extra_config.url must be a URL such as http://10.0.0.1:8000, and nothing "
            "else in it"
        )
    return url.rstrip("/").removesuffix("/v1")


def _is_plain(url: str) -> bool:
    if any(mark in url for mark in "?#@") or any(mark.isspace() for mark in url):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        # A port that is none, brackets that do not close.
        return False
