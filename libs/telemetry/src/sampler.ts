import type * as Sdk from '@opentelemetry/sdk-trace';

type Env = Readonly<Record<string, string | undefined>>;

function ratioOf(env: Env, warn: (message: string) => void): number {
  const given = env['OTEL_TRACES_SAMPLER_ARG']?.trim() || '1';
  const ratio = Number(given);
  if (ratio >= 0 && ratio <= 1) return ratio;
  warn(`OTEL_TRACES_SAMPLER_ARG must be between 0 and 1, "${given}" is ignored`);
  return 1;
}

/** Sampler by `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`; default `parentbased_always_on`. */
export function samplerFrom(
  sdk: typeof Sdk,
  env: Env,
  warn: (message: string) => void,
): Sdk.Sampler {
  const name = env['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on';
  const roots: Record<string, () => Sdk.Sampler> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratioOf(env, warn)),
  };
  const byParent = name.startsWith('parentbased_');
  const root = roots[byParent ? name.slice('parentbased_'.length) : name];
  if (!root) warn(`OTEL_TRACES_SAMPLER "${name}" is not known; parentbased_always_on is used`);
  if (root && !byParent) return root();
  return new sdk.ParentBasedSampler({ root: root?.() ?? new sdk.AlwaysOnSampler() });
}
