"""The class that vLLM makes: hands on what vLLM calls to the scheduler's or the worker's side."""

from collections.abc import Iterator
from typing import Any

from vllm.distributed.kv_transfer.kv_connector.v1.base import (
    KVConnectorBase_V1,
    KVConnectorMetadata,
    KVConnectorRole,
    KVConnectorWorkerMetadata,
)
from vllm.distributed.parallel_state import get_tensor_model_parallel_rank
from vllm.logger import init_logger
from vllm.v1.metrics.cache_hit_source import CacheHitSource

from baton_vllm.layout import hello, require_supported, sizes_of
from baton_vllm.link import AgentLink
from baton_vllm.scheduler import Scheduled, SchedulerSide
from baton_vllm.settings import Settings
from baton_vllm.step import Report, Step
from baton_vllm.worker import WorkerSide

# Only loggers below "vllm" are printed.
logger = init_logger("vllm.baton")


class StepMetadata(KVConnectorMetadata):
    """To the workers."""

    def __init__(self, step: Step):
        self.step = step


class ReportMetadata(KVConnectorWorkerMetadata):
    """From a worker; vLLM joins those of all ranks."""

    def __init__(self, report: Report):
        self.report = report

    def aggregate(self, other: KVConnectorWorkerMetadata) -> "ReportMetadata":
        assert isinstance(other, ReportMetadata)
        return ReportMetadata(self.report.merge(other.report))


class BatonConnector(KVConnectorBase_V1):
    """See the package's documentation. Loads and saves are synchronous parts of a step."""

    _cache_hit_source = CacheHitSource.HOST

    # A save that is lost is a later miss, and a handover that fails is computed: no request fails for it.
    requires_kv_delivery = False

    def __init__(self, vllm_config: Any, role: KVConnectorRole, kv_cache_config: Any):
        super().__init__(vllm_config=vllm_config, role=role, kv_cache_config=kv_cache_config)
        require_supported(vllm_config, kv_cache_config)
        extra = vllm_config.kv_transfer_config.kv_connector_extra_config
        settings = Settings.read(extra)
        self._sizes = sizes_of(vllm_config, kv_cache_config)
        self._block_pool: Any = None
        self._worker: WorkerSide | None = None
        if role == KVConnectorRole.SCHEDULER:
            said = hello(vllm_config, kv_cache_config, settings)
            self._link = AgentLink(settings.agent, lambda: said, logger)
            self._scheduler = SchedulerSide(self._link, self._sizes)
            self._link.start()

    # In the scheduler's process.

    def bind_gpu_block_pool(self, gpu_block_pool: Any) -> None:
        self._block_pool = gpu_block_pool

    def on_new_request(self, request: Any) -> None:
        self._scheduler.arrived(request)
        self._tell_load()

    def get_num_new_matched_tokens(
        self, request: Any, num_computed_tokens: int
    ) -> tuple[int | None, bool]:
        return self._scheduler.match(request, num_computed_tokens), False

    def update_state_after_alloc(
        self, request: Any, blocks: Any, num_external_tokens: int
    ) -> None:
        (ids,) = blocks.get_block_ids()
        self._scheduler.allocated(request, ids, num_external_tokens)

    def build_connector_meta(self, scheduler_output: Any) -> StepMetadata:
        step = self._scheduler.build(_scheduled(scheduler_output))
        self._tell_load()
        return StepMetadata(step)

    def update_connector_output(self, connector_output: Any) -> None:
        meta = connector_output.kv_connector_worker_meta
        report = meta.report if isinstance(meta, ReportMetadata) else None
        self._scheduler.took(report, bool(connector_output.invalid_block_ids))

    def request_finished(
        self, request: Any, block_ids: list[int]
    ) -> tuple[bool, dict[str, Any] | None]:
        answer = self._scheduler.finished(request)
        self._tell_load()
        return False, answer

    def shutdown(self) -> None:
        if self._role == KVConnectorRole.SCHEDULER:
            self._link.close()

    def _tell_load(self) -> None:
        pool = self._block_pool
        used = 0 if pool is None else pool.num_gpu_blocks - 1 - pool.get_num_free_blocks()
        self._link.report_load(self._scheduler.load(max(0, used)))

    # In a worker's process.

    def register_kv_caches(self, kv_caches: dict[str, Any]) -> None:
        self._worker = WorkerSide(get_tensor_model_parallel_rank(), self._sizes.ranks, logger)
        self._worker.register(kv_caches)
        if self._worker.block_bytes != self._sizes.part_bytes:
            raise ValueError(
                f"baton: a block of this rank has {self._worker.block_bytes} bytes, its "
                f"specification says {self._sizes.part_bytes}; this layout cannot be held"
            )

    def start_load_kv(self, forward_context: Any, **kwargs: Any) -> None:
        if self._worker is not None:
            self._worker.load(self._bound())

    def wait_for_layer_load(self, layer_name: str) -> None:
        """Loads are complete when start_load_kv returns."""

    def save_kv_layer(self, *args: Any, **kwargs: Any) -> None:
        """A segment is whole after the last layer: see wait_for_save."""

    def wait_for_save(self) -> None:
        if self._worker is not None:
            self._worker.save(self._bound())

    def get_block_ids_with_load_errors(self) -> set[int]:
        return self._worker.take_bad_blocks() if self._worker is not None else set()

    def build_connector_worker_meta(self) -> ReportMetadata | None:
        report = self._worker.take_report() if self._worker is not None else None
        return ReportMetadata(report) if report is not None else None

    def _bound(self) -> Step:
        metadata = self._get_connector_metadata()
        assert isinstance(metadata, StepMetadata)
        return metadata.step


def _scheduled(output: Any) -> Iterator[Scheduled]:
    """The requests of a step. Blocks of new and of resumed ones are known from their allocation."""
    tokens = output.num_scheduled_tokens
    for new in output.scheduled_new_reqs:
        yield Scheduled(new.req_id, new.num_computed_tokens, tokens[new.req_id], [])
    cached = output.scheduled_cached_reqs
    for index, request_id in enumerate(cached.req_ids):
        is_resumed = request_id in cached.resumed_req_ids
        blocks = cached.new_block_ids[index]
        fresh = list(blocks[0]) if blocks and not is_resumed else []
        computed = cached.num_computed_tokens[index]
        yield Scheduled(request_id, computed, tokens[request_id], fresh)
