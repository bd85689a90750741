"""The messages of proto/baton/v1 that travel between an engine and its agent: name -> field -> (number, type,
repeated). A test holds them against the .proto files.
"""

Field = tuple[int, str, bool]


def _fields(**kinds: tuple[int, str]) -> dict[str, Field]:
    return {
        name: (number, kind.removesuffix("*"), kind.endswith("*"))
        for name, (number, kind) in kinds.items()
    }


MESSAGES: dict[str, dict[str, Field]] = {
    "EngineMessage": _fields(
        hello=(1, "EngineHello"),
        load=(2, "LoadReport"),
        load_segments=(3, "LoadRequest"),
        release=(4, "ReleasePages"),
        reserve=(5, "ReserveRequest"),
        commit=(6, "CommitSegment"),
        handover_ready=(7, "HandoverReady"),
        ended=(8, "RequestEnded"),
        export_reply=(9, "ExportReply"),
        damaged=(10, "DamagedPage"),
    ),
    "AgentMessage": _fields(
        hello=(1, "AgentHello"),
        segment=(2, "SegmentLoaded"),
        load_end=(3, "LoadEnd"),
        reserved=(4, "ReserveReply"),
        export=(5, "ExportRequest"),
        refused=(6, "LinkRefused"),
        alive=(7, "AgentAlive"),
    ),
    "EngineHello": _fields(
        worker=(1, "Worker"),
        events_endpoint=(2, "string"),
        replay_endpoint=(3, "string"),
        page_bytes=(4, "uint32"),
    ),
    "Worker": _fields(
        worker_id=(1, "string"),
        role=(2, "enum"),
        model=(3, "string"),
        engine=(4, "string"),
        engine_url=(5, "string"),
        transfer_address=(6, "string"),
        layout=(7, "KvLayout"),
        tokenization=(8, "string"),
        segment_tokens=(9, "uint32"),
        max_model_tokens=(10, "uint32"),
        kv_capacity_blocks=(11, "uint32"),
        max_sequences=(12, "uint32"),
        capabilities=(13, "Capabilities"),
        dram_capacity_segments=(14, "uint32"),
        hybrid=(15, "bool"),
    ),
    "KvLayout": _fields(
        model_revision=(1, "string"),
        dtype=(2, "string"),
        layers=(3, "uint32"),
        ranks=(4, "uint32"),
        block_tokens=(5, "uint32"),
        connector=(6, "string"),
        connector_version=(7, "string"),
        bytes_per_token=(8, "uint32"),
        segment_bytes=(9, "uint32"),
    ),
    "Capabilities": _fields(
        pull_prefix=(1, "bool"),
        export_prefix=(2, "bool"),
        overlap_handover=(3, "bool"),
        first_token_from_prefill=(4, "bool"),
        take_salt=(5, "bool"),
        take_tokens=(6, "bool"),
        release=(7, "bool"),
        migrate=(8, "bool"),
        call_tools=(9, "bool"),
    ),
    "LoadReport": _fields(load=(1, "Load")),
    "Load": _fields(
        rank=(1, "uint32"),
        running_sequences=(2, "uint32"),
        waiting_sequences=(3, "uint32"),
        pending_prefill_tokens=(4, "uint32"),
        kv_used_blocks=(5, "uint32"),
        prefill_tokens_per_sec=(6, "double"),
        decode_tokens_per_sec=(7, "double"),
        report=(8, "uint32"),
        dram_bytes_per_sec=(9, "double"),
        ssd_bytes_per_sec=(10, "double"),
    ),
    "LoadRequest": _fields(
        request_id=(1, "string"),
        plan_id=(2, "string"),
        keys=(3, "bytes"),
        first_segment=(4, "uint32"),
        handover=(5, "bool"),
        timeout_ms=(6, "uint32"),
        expected_segments=(7, "uint32"),
        traceparent=(8, "string"),
    ),
    "ReleasePages": _fields(request_id=(1, "string"), pages=(2, "uint32*")),
    "ReserveRequest": _fields(
        request_id=(1, "string"), plan_id=(2, "string"), keys=(3, "bytes"), tail=(4, "bool")
    ),
    "CommitSegment": _fields(
        request_id=(1, "string"),
        plan_id=(2, "string"),
        key=(3, "bytes"),
        page=(4, "uint32"),
        bytes=(5, "uint32"),
        checksum=(6, "uint32"),
    ),
    "HandoverReady": _fields(request_id=(1, "string"), plan_id=(2, "string"), tail=(3, "Tail")),
    "Tail": _fields(
        page=(1, "uint32"), bytes=(2, "uint32"), checksum=(3, "uint32"), state=(4, "SequenceState")
    ),
    "SequenceState": _fields(
        prompt_tokens=(1, "uint32"), output_token_ids=(2, "uint32*"), seed=(3, "uint32")
    ),
    "RequestEnded": _fields(
        request_id=(1, "string"),
        plan_id=(2, "string"),
        leg=(3, "string"),
        outcome=(4, "string"),
        prompt_tokens=(5, "uint32"),
        reused_tokens=(6, "uint32"),
        transferred_tokens=(7, "uint32"),
        computed_tokens=(8, "uint32"),
        output_tokens=(9, "uint32"),
    ),
    "ExportReply": _fields(export_id=(1, "string"), exported=(2, "uint32")),
    "DamagedPage": _fields(request_id=(1, "string"), key=(2, "bytes"), page=(3, "uint32")),
    "AgentHello": _fields(
        worker_id=(1, "string"),
        epoch=(2, "Epoch"),
        arena_path=(3, "string"),
        arena_bytes=(4, "uint64"),
        page_bytes=(5, "uint32"),
        page_count=(6, "uint32"),
        tokenization=(7, "string"),
    ),
    "Epoch": _fields(started_at_ms=(1, "uint64"), nonce=(2, "uint64")),
    "SegmentLoaded": _fields(
        request_id=(1, "string"),
        index=(2, "uint32"),
        page=(3, "uint32"),
        bytes=(4, "uint32"),
        transferred=(5, "bool"),
        checksum=(6, "uint32"),
    ),
    "LoadEnd": _fields(
        request_id=(1, "string"), status=(2, "enum"), message=(3, "string"), tail=(4, "Tail")
    ),
    "ReserveReply": _fields(
        request_id=(1, "string"), pages=(2, "uint32*"), tail_page=(3, "uint32"), refused=(4, "bool")
    ),
    "ExportRequest": _fields(export_id=(1, "string"), keys=(2, "bytes"), pages=(3, "uint32*")),
    "LinkRefused": _fields(code=(1, "string"), message=(2, "string")),
    "AgentAlive": _fields(),
}
