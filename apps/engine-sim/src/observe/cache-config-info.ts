import type { StandInSettings } from '../engine-options.ts';

/** `vllm:cache_config_info`: the configuration of the KV cache as labels, with what a stand-in has none of as vLLM says it. */
export function cacheConfigInfo(settings: StandInSettings): string[] {
  const { blocks, blockTokens, maxModelTokens, cost } = settings;
  const tokens = blocks * blockTokens;
  const name = 'vllm:cache_config_info';
  const labels: Record<string, string> = {
    _block_size_resolved: 'True',
    block_size: String(blockTokens),
    cache_dtype: 'auto',
    cache_hit_alignment_tokens: 'None',
    effective_attention_block_size: String(blockTokens),
    enable_mamba_shared_prefix_checkpoint: 'False',
    enable_prefix_caching: 'True',
    engine: '0',
    gpu_memory_utilization: '0.92',
    hash_block_size: 'None',
    is_attention_free: 'False',
    kv_cache_dtype_skip_layers: '[]',
    kv_cache_layout: 'None',
    kv_cache_max_concurrency: (tokens / maxModelTokens).toFixed(1),
    kv_cache_memory_bytes: String(tokens * cost.kvBytesPerToken),
    kv_cache_size_tokens: String(tokens),
    kv_offloading_backend: 'native',
    kv_offloading_size: 'None',
    kv_sharing_fast_prefill: 'False',
    mamba_block_size: 'None',
    mamba_cache_dtype: 'auto',
    mamba_cache_mode: 'none',
    mamba_page_size_padded: 'None',
    mamba_ssm_cache_dtype: 'auto',
    num_cpu_blocks: 'None',
    num_gpu_blocks: String(blocks),
    num_gpu_blocks_override: String(blocks),
    prefix_cache_retention_interval: '0',
    prefix_caching_hash_algo: 'sha256_cbor',
    prefix_match_unit: 'None',
    replayssm_buffer_len: '16',
    skip_page_size_padded: 'None',
    sliding_window: 'None',
    swa_bounded_replay: 'True',
    use_kda_recoverssm: 'False',
    use_replayssm: 'False',
    user_specified_block_size: 'True',
  };
  const text = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return [
    `# HELP ${name} Configuration of the KV cache.`,
    `# TYPE ${name} gauge`,
    `${name}{${text.join()}} 1.0`,
  ];
}
