import pytest

from baton_vllm.settings import Settings

GIVEN = {"agent": "/run/baton/a.sock", "url": "http://10.0.0.1:8000"}


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("http://10.0.0.1:8000/", "http://10.0.0.1:8000"),
        ("http://10.0.0.1:8000/v1/", "http://10.0.0.1:8000"),
        ("https://gpu-1/engine", "https://gpu-1/engine"),
        ("http://[fd00::7]:8000", "http://[fd00::7]:8000"),
    ],
)
def test_reads_where_agent_and_engine_are(written, url):
    settings = Settings.read({**GIVEN, "url": written, "connectors": []})
    assert settings == Settings("/run/baton/a.sock", url)


@pytest.mark.parametrize("url", [None, "", 5, ["http://a"], "a:8000", "ftp://a", "http://", "http://:80",
                                 "http://a:99999", "http://a:x", "http://a:0", "http://[::1", "http://a b",
                                 "http://a\n", "http://a/?x", "http://a#x", "http://me:secret@a"])
def test_a_url_that_is_none_is_refused_by_name_and_not_shown(url):
    with pytest.raises(ValueError, match=r"kv_connector_extra_config\.url") as fault:
        Settings.read({**GIVEN, "url": url})
    assert "secret" not in str(fault.value)


@pytest.mark.parametrize("agent", [None, "", 5, "/run/\0x", "/run/" + "x" * 103, "/" + "ü" * 54])
def test_a_socket_that_nobody_could_connect_to_is_refused_at_the_start(agent):
    with pytest.raises(ValueError, match=r"kv_connector_extra_config\.agent"):
        Settings.read({**GIVEN, "agent": agent})


def test_the_longest_path_of_a_socket():
    path = "/" + "x" * 106
    assert Settings.read({**GIVEN, "agent": path}).agent == path
