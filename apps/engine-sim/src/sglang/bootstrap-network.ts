import { EnginePlaces } from '../connectors/engine-places.ts';
import type { BootstrapServer } from './bootstrap-server.ts';

/** SGLang's default of --disaggregation-bootstrap-port. */
const FIRST_PORT = 8_998;

/** Prefill servers that decode servers of the same group can meet. */
export class BootstrapNetwork extends EnginePlaces<BootstrapServer> {
  constructor() {
    super(FIRST_PORT);
  }
}
