/**
 * One zod object schema per process is the source of its types, defaults, flags and reference page.
 *
 * Data flow: schema → options (one per leaf) → values from file, environment, flags → zod → typed config.
 *
 * - A key `transfer.streams` is `--transfer-streams` and `BATON_TRANSFER_STREAMS`; lists repeat their flag.
 * - Unknown keys fail and name the nearest known one. Other Baton variables (`sharedEnvironment`) and
 *   Kubernetes' service links are no keys.
 * - `.meta({ secret: true })` hides a value in `--print-config` and in messages, `.describe()` explains it.
 * - A nested object is a group of keys; declare it with `.optional()` when it may be missing as a whole.
 *
 * @module
 */
export { configReference, markdownTable } from './help.ts';
export {
  environmentForChild,
  keptFromChild,
  loadConfig,
  type ConfigSource,
} from './load-config.ts';
export { optionsOf, type ConfigOption } from './options.ts';
