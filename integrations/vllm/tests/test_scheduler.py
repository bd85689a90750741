import pytest
from fakes import SIZES, Engine, FakeLink, image, lora, request, split

from baton_vllm.desk import Sizes
from baton_vllm.keys import KeyChain, adapter_identity, root_key
from baton_vllm.link import Session
from baton_vllm.step import Arena, Report


def keys_of(req, count, salt=None, adapter=None):
    return KeyChain(root_key("tok", adapter, salt), 64).upto(req.all_token_ids, count)


def idle(link):
    """No page is leased for anything."""
    return link.leases == {}


def test_what_one_request_computes_the_next_one_loads():
    engine = Engine()
    link = engine.link
    first = request("a", 200)
    assert engine.admit(first) == 0
    step = engine.step(first)
    assert [save.blocks for save in step.saves] == [[1, 2], [3, 4], [5, 6]]
    assert engine.end(first) is None
    assert not idle(link), "pages are the engine's until the workers have said that they wrote them"
    engine.report(step)
    assert list(link.held) == keys_of(first, 3)
    assert {commit["checksum"] for commit in link.of("commit")} == {11}
    assert idle(link)

    second = request("b", 200)
    assert engine.admit(second) == 192
    step = engine.step(second)
    assert [(load.page, load.skip, load.blocks) for load in step.loads] == [
        (100, 0, [8, 9]),
        (101, 0, [10, 11]),
        (102, 0, [12, 13]),
    ]
    assert step.saves == []
    engine.report(step)
    engine.end(second)
    assert idle(link)


def test_chunks_leave_while_the_prompt_is_computed():
    engine = Engine()
    req = request("a", 300)
    engine.admit(req)
    counts = []
    for _ in range(5):
        step = engine.step(req, 60)
        counts.append(len(step.saves))
        engine.report(step)
    assert counts == [0, 1, 1, 1, 1]
    assert len(engine.link.of("reserve")) == 1
    req.all_token_ids += range(5000, 5100)
    req.num_tokens += 100
    engine.report(engine.step(req, 100, new_blocks=3))
    assert list(engine.link.held) == keys_of(req, 6)


def test_a_prompt_of_whole_segments_leaves_one_token_to_compute():
    engine = Engine()
    engine.run(request("a", 192))
    assert engine.admit(request("b", 192)) == 191
    assert engine.admit(request("c", 192), computed=160) == 31


def test_blocks_that_the_engine_has_are_skipped():
    engine = Engine()
    engine.run(request("a", 200))
    req = request("b", 200)
    assert engine.admit(req, computed=96) == 96
    (first, second) = engine.step(req).loads
    assert (first.skip, len(first.blocks)) == (1, 1)
    assert (second.skip, len(second.blocks)) == (0, 2)


def test_tokens_that_the_engine_lost_meanwhile_are_asked_for_again():
    engine = Engine()
    engine.run(request("a", 200))
    req = request("b", 200)
    engine.side.arrived(req)
    assert engine.side.match(req, 128) == 64
    assert engine.side.match(req, 128) == 64
    assert len(engine.link.loads) == 2, "an answer is used as long as the request waits"
    assert engine.side.match(req, 0) == 192
    assert len(engine.link.loads) == 3
    engine.side.allocated(req, range(7), 192)
    engine.report(engine.step(req))
    engine.end(req)
    assert idle(engine.link)


def test_another_connector_that_was_chosen_gives_the_pages_back():
    engine = Engine()
    engine.run(request("a", 200))
    req = request("b", 200)
    engine.side.arrived(req)
    assert engine.side.match(req, 0) == 192
    engine.side.allocated(req, range(7), 0)
    assert idle(engine.link)
    assert engine.step(req).loads == []


def test_a_request_that_goes_before_it_is_scheduled_gives_the_pages_back():
    engine = Engine()
    engine.run(request("a", 200))
    req = request("b", 200)
    engine.side.arrived(req)
    engine.side.match(req, 0)
    engine.end(req, "FINISHED_ABORTED")
    assert idle(engine.link)


def test_salts_share_nothing_and_what_is_not_only_tokens_is_left_out():
    engine = Engine()
    engine.run(request("a", 200))
    assert engine.admit(request("b", 200, cache_salt="x")) == 0
    held = set(engine.link.held)
    for index, field in enumerate(
        ({"lora_request": lora("sql", "/sql", True)}, {"mm_features": [image(0, "")]}, {"prompt_embeds": object()})
    ):
        engine.run(request(f"c{index}", 200, **field))
    assert engine.admit(request("d", 200, skip_reading_prefix_cache=True)) == 0
    assert set(engine.link.held) == held


def test_adapters_share_nothing_nor_do_other_weights_under_one_name():
    engine = Engine()
    sql = lora("sql", "/adapters/sql")
    base = request("a", 200)
    engine.run(base)
    assert engine.admit(request("b", 200, lora_request=sql)) == 0
    engine.run(request("c", 200, lora_request=sql))
    assert engine.admit(request("d", 200, lora_request=sql)) == 192
    for index, other in enumerate((lora("law", "/adapters/sql"), lora("sql", "/adapters/sql-2"))):
        assert engine.admit(request(f"e{index}", 200, lora_request=other)) == 0
    assert engine.admit(request("f", 200, lora_request=sql, cache_salt="x")) == 0
    identity = adapter_identity("sql", "/adapters/sql")
    assert set(engine.link.held) == {*keys_of(base, 3), *keys_of(base, 3, adapter=identity)}


def test_weights_that_were_loaded_in_place_are_left_to_vllm():
    engine = Engine()
    engine.run(request("a", 200, lora_request=lora("sql", "/sql")))
    held = set(engine.link.held)
    again = lora("sql", "/sql", load_inplace=True)
    assert engine.run(request("b", 200, lora_request=again)) == (0, None)
    assert engine.run(request("c", 300, lora_request=again)) == (0, None)
    assert set(engine.link.held) == held


def test_an_adapter_is_part_of_a_handover():
    engine = Engine()
    plan = {"plan_id": "p", "leg": "prefill"}
    req = request("a", 200, plan, lora_request=lora("sql", "/sql"))
    engine.run(req)
    (reserve,) = engine.link.of("reserve")
    assert split(reserve["keys"]) == keys_of(req, 3, adapter=adapter_identity("sql", "/sql"))
    assert len(engine.link.of("handover_ready")) == 1


def test_media_are_part_of_the_key_and_no_part_of_a_plan():
    engine = Engine()
    cat, dog = [image(70, "cat")], [image(70, "dog")]
    engine.run(request("a", 200, mm_features=cat))
    assert engine.admit(request("b", 200, mm_features=cat)) == 192
    assert engine.admit(request("c", 200, mm_features=dog)) == 64, "what is before the image is the same"
    assert engine.admit(request("d", 200, mm_features=[image(71, "cat")])) == 64
    assert engine.admit(request("e", 200)) == 64
    plan = {"plan_id": "p", "leg": "decode", "prefix_tokens": 0}
    req = request("f", 200, plan, mm_features=cat)
    assert engine.admit(req) == 192, "at once, without waiting for a handover"
    assert engine.end(req) is None


def test_a_slow_agent_costs_a_recompute_and_is_left_alone():
    link = FakeLink()
    link.is_slow = True
    engine = Engine(link)
    req = request("a", 200)
    assert engine.admit(req) == 0
    assert link.was_slow == 1
    step = engine.step(req, 100)
    assert step.saves == []
    link.is_slow = False
    # It answers again in the middle of the prompt.
    step = engine.step(req, 100)
    assert len(step.saves) == 3
    engine.report(step)
    engine.end(req)
    assert list(link.held) == keys_of(req, 3)


def test_without_an_agent_everything_is_computed():
    link = FakeLink()
    link.linked = None
    engine = Engine(link)
    assert engine.run(request("a", 200)) == (0, None)
    assert link.sent == []


def test_pages_that_were_granted_are_filled_while_a_slow_agent_is_left_alone():
    engine = Engine()
    req = request("a", 200, {"plan_id": "p", "leg": "prefill"})
    engine.admit(req)
    engine.report(engine.step(req, 100))
    engine.link.is_left_alone = True
    engine.report(engine.step(req))
    engine.end(req)
    assert len(engine.link.of("handover_ready")) == 1
    assert idle(engine.link)


def test_a_slow_agent_is_told_all_the_same_that_a_plan_is_over():
    engine, link, req = arriving()
    link.is_left_alone = True
    assert engine.admit(req) == 0
    engine.report(engine.step(req))
    engine.end(req)
    (ended,) = link.of("ended")
    assert (ended["plan_id"], ended["leg"], ended["computed_tokens"]) == ("p", "decode", 200)


def test_the_agent_is_told_of_the_trace():
    engine, traceparent = Engine(), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    plan = {"plan_id": "p", "leg": "aggregated", "prefix_tokens": 0}
    for name, value in [("a", traceparent), ("b", 1)]:
        engine.run(request(name, 200, plan={**plan, "traceparent": value}))
    assert [asked["traceparent"] for asked, _ in engine.link.loads] == [traceparent, ""]


def test_a_damaged_page_is_told_of_computed_and_kept_anew():
    engine = Engine()
    link = engine.link
    engine.run(request("a", 200))
    req = request("b", 200, plan={"plan_id": "p", "leg": "aggregated", "prefix_tokens": 0})
    key = keys_of(req, 3)[1]
    engine.fails.add(link.held[key])
    assert engine.admit(req) == 192
    step = engine.step(req)
    engine.report(step)
    (damaged,) = link.of("damaged")
    assert (damaged["key"], damaged["page"]) == (key, 101)
    assert key not in link.held
    # vLLM goes back to the first block that it has not.
    req.num_computed_tokens = 64
    step = engine.step(req, 136)
    assert [save.page for save in step.saves] != []
    assert step.epoch == 1
    engine.report(step)
    assert set(link.held) == set(keys_of(req, 3))
    answer = engine.end(req)
    assert answer["baton"]["accounting"] == {
        "prompt_tokens": 200,
        "reused_tokens": 64,
        "transferred_tokens": 0,
        "computed_tokens": 136,
    }
    assert idle(link)


def test_what_a_step_after_a_failed_load_computed_is_not_kept_and_offered_again():
    engine = Engine()
    req = request("a", 200)
    engine.admit(req)
    step = engine.step(req, 128)
    engine.report(step, dropped=True)
    assert engine.link.held == {}
    step = engine.step(req, 72)
    assert len(step.saves) == 3
    engine.report(step)
    assert len(engine.link.held) == 3


def test_a_prefill_announces_hands_over_and_ends():
    engine, plan = Engine(), {"plan_id": "p", "leg": "prefill", "prefix_tokens": 0}
    link = engine.link
    engine.run(request("before", 70))
    link.sent.clear()
    req = request("a", 200, plan)
    engine.admit(req, computed=64)
    step = engine.step(req, 64)
    (reserve,) = link.of("reserve")
    assert (reserve["plan_id"], reserve["tail"]) == ("p", True)
    assert split(reserve["keys"]) == keys_of(req, 3), "also what is held: the other side asks for it"
    engine.report(step)
    assert link.of("handover_ready") == []
    step = engine.step(req)
    assert [len(save.blocks) for save in step.saves] == [2, 1]
    answer = engine.end(req)
    engine.report(step)
    kinds = [kind for kind, _ in link.sent]
    assert kinds[-2:] == ["handover_ready", "ended"]
    (ready,) = link.of("handover_ready")
    assert ready["plan_id"] == "p"
    assert ready["tail"] == {
        "page": step.saves[1].page,
        "bytes": 100,
        "checksum": 11,
        "state": {"prompt_tokens": 200},
    }
    ended = link.of("ended")[-1]
    assert (ended["plan_id"], ended["leg"], ended["outcome"]) == ("p", "prefill", "finished")
    tokens = {k: ended[k] for k in ("reused_tokens", "transferred_tokens", "computed_tokens")}
    assert tokens == {"reused_tokens": 64, "transferred_tokens": 0, "computed_tokens": 136}
    assert answer["baton"]["accounting"]["computed_tokens"] == 136
    assert idle(link)


@pytest.mark.parametrize("tokens", [128, 30])
def test_a_handover_without_a_tail_or_without_segments(tokens):
    engine = Engine()
    req = request("a", tokens, {"plan_id": "p", "leg": "prefill"})
    engine.run(req)
    (ready,) = engine.link.of("handover_ready")
    assert ready["tail"]["state"] == {"prompt_tokens": tokens}
    assert ("page" in ready["tail"]) == (tokens == 30)
    assert idle(engine.link)


def test_a_prefill_that_is_refused_pages_asks_once_and_still_ends():
    engine = Engine()
    engine.link.refuses = True
    req = request("a", 200, {"plan_id": "p", "leg": "prefill"})
    engine.admit(req)
    for tokens in (100, 100):
        engine.report(engine.step(req, tokens))
    engine.end(req, "FINISHED_ABORTED")
    assert len(engine.link.of("reserve")) == 1
    assert engine.link.of("handover_ready") == []
    ended = engine.link.of("ended")[-1]
    assert (ended["plan_id"], ended["outcome"]) == ("p", "aborted")


def arriving(tokens=200, plan=None):
    """A decode engine whose agent is still bringing the prompt."""
    link = FakeLink()
    link.waits = True
    req = request("d", tokens, plan or {"plan_id": "p", "leg": "decode"})
    for page, key in enumerate(keys_of(req, tokens // 64)):
        link.held[key] = page
    return Engine(link), link, req


def test_decode_waits_for_its_plan_and_loads_the_tail_as_well():
    engine, link, req = arriving()
    assert engine.admit(req) is None
    assert engine.admit(req) is None
    (asked, _), state = link.loads[-1], {"prompt_tokens": 200}
    assert (asked["plan_id"], asked["handover"], len(link.loads)) == ("p", True, 1)
    link.tail = {"page": 50, "bytes": 100, "checksum": 9, "state": state}
    link.answer(transferred=True)
    assert engine.admit(req) == 199
    step = engine.step(req)
    assert [(load.page, len(load.blocks)) for load in step.loads][-1] == (50, 1)
    engine.report(step)
    # Given back with the load: what decode generates takes long.
    assert link.of("ended")[0]["plan_id"] == "p"
    answer = engine.end(req)
    accounting = answer["baton"]["accounting"]
    assert (accounting["transferred_tokens"], accounting["computed_tokens"]) == (199, 1)
    assert idle(link)


def test_a_block_of_the_tail_that_vllm_computes_itself_is_not_loaded():
    # 225 = 3 segments and 33 tokens: the last block has one token, which is vLLM's to compute.
    engine, link, req = arriving(225)
    assert engine.admit(req) is None
    link.tail = {"page": 50, "bytes": 200, "checksum": 9, "state": {"prompt_tokens": 225}}
    link.answer(transferred=True)
    assert engine.admit(req) == 224
    last = engine.step(req).loads[-1]
    assert (last.page, last.bytes, len(last.blocks)) == (50, 200, 1)


def test_a_tail_of_another_prompt_is_not_used():
    engine, link, req = arriving()
    assert engine.admit(req) is None
    link.tail = {"page": 50, "bytes": 100, "checksum": 9, "state": {"prompt_tokens": 199}}
    link.answer()
    assert engine.admit(req) == 192


def test_a_handover_that_fails_leaves_what_has_come():
    engine, link, req = arriving()
    del link.held[keys_of(req, 3)[2]]
    assert engine.admit(req) is None
    link.answer(transferred=True)
    assert engine.admit(req) == 128
    # What is not there is computed, and kept; once the plan is over it is not waited for again.
    step = engine.step(req)
    assert len(step.saves) == 1
    engine.report(step)
    req.status.name = "PREEMPTED"
    link.waits = False
    assert engine.admit(req) == 192
    assert link.loads[-1][0]["plan_id"] == ""


def test_a_handover_is_not_waited_for_for_ever(monkeypatch):
    engine, link, req = arriving()
    assert engine.admit(req) is None
    now = engine.side._sequences["d"].loading.deadline
    monkeypatch.setattr("baton_vllm.lookup.time.monotonic", lambda: now)
    assert engine.admit(req) == 0
    assert idle(link)


def test_a_prefix_that_is_pulled_is_waited_for():
    plan = {"plan_id": "p", "leg": "prefill", "prefix_tokens": 128}
    engine, link, req = arriving(200, plan)
    assert engine.admit(req) is None
    asked = link.loads[-1][0]
    assert (asked["plan_id"], asked["handover"], asked["expected_segments"]) == ("p", False, 2)
    del link.held[keys_of(req, 3)[2]]
    link.answer(transferred=True)
    assert engine.admit(req) == 128
    engine.report(engine.step(req))
    answer = engine.end(req)
    assert answer["baton"]["accounting"]["transferred_tokens"] == 128


def test_another_agent_is_asked_anew_and_nothing_of_the_old_one_is_used():
    engine = Engine()
    link = engine.link
    engine.run(request("a", 200))
    req = request("b", 200)
    engine.side.arrived(req)
    assert engine.side.match(req, 0) == 192
    link.linked = Session(2, "w", "tok", Arena("/other", 1 << 20, 4096))
    link.held.clear()
    assert engine.side.match(req, 0) == 0
    engine.side.allocated(req, range(7), 0)
    step = engine.step(req)
    assert {save.arena for save in step.saves} == {"/other"} and step.arena.path == "/other"
    # Cut again before the workers report: the agent that granted the pages is gone.
    link.linked = Session(3, "w", "tok", Arena("/third", 1 << 20, 4096))
    engine.report(step)
    engine.end(req)
    assert link.held == {}


def test_a_page_is_told_of_when_every_rank_has_written_its_part():
    sizes = Sizes(block_tokens=32, segment_tokens=64, part_bytes=100, ranks=2)
    engine = Engine(sizes=sizes)
    req = request("a", 130)
    engine.admit(req)
    step = engine.step(req)
    tickets = [save.ticket for save in step.saves]
    reports = [
        Report(saved={tickets[0]: {0: 1}, tickets[1]: {0: 1}}),
        Report(saved={tickets[0]: {1: 2}}, dropped={tickets[1]}),
    ]
    engine.side.took(reports[0].merge(reports[1]), False)
    assert list(engine.link.held) == keys_of(req, 1)
    (commit,) = engine.link.of("commit")
    assert commit["bytes"] == 400


def test_the_rate_of_loads_is_told():
    engine = Engine()
    engine.run(request("a", 200))
    req = request("b", 200)
    engine.admit(req)
    step = engine.step(req)
    report = Report(loaded={load.ticket for load in step.loads}, load_seconds=0.5)
    engine.side.took(report, False)
    assert engine.side.load(0)["dram_bytes_per_sec"] == 3 * 200 / 0.5


def test_load_counts_everything_that_vllm_has():
    engine = Engine()
    running, waiting = request("a", 200), request("b", 100, lora_request=lora("sql", "/sql", True))
    engine.admit(running)
    running.num_computed_tokens = 150
    engine.side.arrived(waiting)
    assert engine.side.load(9) == {
        "running_sequences": 1,
        "waiting_sequences": 1,
        "pending_prefill_tokens": 150,
        "kv_used_blocks": 9,
        "dram_bytes_per_sec": 0,
    }
    assert SIZES.blocks_per_segment == 2
