import type { AdapterSettings } from '../engine-options.ts';
import type { SimEngine } from '../engine/sim-engine.ts';
import type { MetricFamily } from './metric-families.ts';

const NAME = 'vllm:lora_requests_info';

/** Which adapters requests use, in labels, and as value when that was so; as vLLM says it from its first step on. */
export class AdapterInfo implements MetricFamily {
  readonly #slots: number;
  readonly #wall: () => number;
  /** As with --enable-lora; without it there is no such metric. */
  isShown: boolean;
  #said: { running: string; waiting: string; atSec: number } | undefined;

  constructor({ slots, modules }: AdapterSettings, wall: () => number) {
    this.#slots = slots;
    this.isShown = modules.length > 0;
    this.#wall = wall;
  }

  stepped(engine: SimEngine | undefined): void {
    const { running = [], waiting = [] } = engine?.scheduler ?? {};
    const named = (runs: typeof running): string =>
      [...new Set(runs.flatMap(({ request }) => request.chain.adapter?.name ?? []))].join(',');
    this.isShown ||= engine?.adapters.isUsed === true;
    this.#said = { running: named(running), waiting: named(waiting), atSec: this.#wall() / 1_000 };
  }

  lines(): string[] {
    const head = [`# HELP ${NAME} Adapters that requests use.`, `# TYPE ${NAME} gauge`];
    if (this.#said === undefined) return head;
    const { running, waiting, atSec } = this.#said;
    const labels = `max_lora="${this.#slots}",running_lora_adapters="${running}",waiting_lora_adapters="${waiting}"`;
    return [...head, `${NAME}{${labels}} ${atSec}`];
  }
}
