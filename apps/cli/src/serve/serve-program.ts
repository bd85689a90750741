import { policyNames } from '@baton/scheduling';
import type { Command } from 'commander';
import { oneOf } from '../replay/replay-flags.ts';
import { queueNames } from '../replay/replay-plan.ts';
import { maxPort } from '../up/ports.ts';
import { listenHost, wholeNumber } from '../up/up-options.ts';
import { engineUrl, pairConnectors, servedEngines, type ServeOptions } from './serve-options.ts';

/**
 * `baton serve`: gateway and conductor in front of engines that run already.
 *
 * @param onStart it ends by itself from now on, also when nobody reads its output any more
 */
export function addServe(program: Command, onStart: () => void): void {
  program
    .command('serve')
    .description(
      'gateway and conductor in front of vLLM and SGLang servers that run already; no agent, no NATS',
    )
    .option(
      '--worker <url>',
      'an engine that does whole requests; several times',
      engineUrl('--worker'),
      [],
    )
    .option('--prefill <url>', 'one that computes prompts for others', engineUrl('--prefill'), [])
    .option('--decode <url>', 'one that answers with KV from others', engineUrl('--decode'), [])
    .option('--kubernetes-selector <labels>', 'engines as pods of Kubernetes, such as app=vllm')
    .option('--kubernetes-prefill-selector <labels>', 'pods that compute prompts for others')
    .option('--kubernetes-decode-selector <labels>', 'pods that answer with KV from others')
    .option(
      '--kubernetes-namespace <name>',
      "of the pods (default: that of the kubeconfig's context)",
    )
    .option('--kubernetes-port <port>', 'number or name of their port (default: 8000)')
    .option(
      '--port <port>',
      'port of the OpenAI API (default: 8080 or the next free one)',
      wholeNumber('--port', 1, maxPort),
    )
    .option('--host <host>', 'address of the OpenAI API', listenHost('--host'), '127.0.0.1')
    .option(
      '--admin-port <port>',
      "port of the conductor's admin API, on loopback (default: a free one)",
      wholeNumber('--admin-port', 1, maxPort),
    )
    .option(
      '--policy <name>',
      `how workers are chosen: ${policyNames.join(', ')}`,
      oneOf('--policy', policyNames),
    )
    .option(
      '--queue <order>',
      `who is next: ${queueNames.join(', ')}`,
      oneOf('--queue', queueNames),
    )
    .option(
      '--kv-bytes-per-token <n>',
      'KV of the model, for what a handover costs (default: 131072)',
      wholeNumber('--kv-bytes-per-token', 1, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--connector <name>',
      `what moves KV in pairs, where it is one that vLLM does not tell: ${pairConnectors.join(', ')}`,
      oneOf('--connector', pairConnectors),
    )
    .option(
      '--bootstrap-port <port>',
      'of MooncakeConnector beside prefill workers (default: 8998)',
      wholeNumber('--bootstrap-port', 1, maxPort),
    )
    .option('--api-key-file <file>', 'with the API key that the engines ask for')
    .option('--ca <file>', 'PEM of the authority that signed their certificates')
    .option('--nats <url>', 'hear agents as well, over this NATS server')
    .option(
      '--trace-port <port>',
      'where agents send their spans (default: a free one)',
      wholeNumber('--trace-port', 1, maxPort),
    )
    .option('--verbose', 'print every line of the log', false)
    .action(async (flags: ServeOptions) => {
      const { serve } = await import('./serve.ts');
      onStart();
      await serve(servedEngines(flags), flags, process.stdout, process.env);
    });
}
