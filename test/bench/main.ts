import { parseArgs } from 'node:util';
import { decisionSuite } from './decision/suite.ts';
import { fleetSuite } from './fleet/suite.ts';
import { indexSuite } from './index/suite.ts';
import { jointSuite } from './lab/joint.ts';
import { overloadSuite } from './lab/overload.ts';
import { simDynamoSuite } from './lab/sim-dynamo.ts';
import { pathSuite } from './path.ts';
import { report, table, writeJson, type Suite } from './report.ts';

const suites: Suite[] = [
  pathSuite,
  indexSuite,
  decisionSuite,
  jointSuite,
  overloadSuite,
  simDynamoSuite,
  fleetSuite,
];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    trace: { type: 'string' },
    engine: { type: 'string' },
    peers: { type: 'boolean', default: false },
  },
});
const name = positionals[0];
const suite = suites.find((candidate) => candidate.name === name);
if (suite === undefined) {
  const list = suites.map((s) => `  ${s.name}  ${s.describes}`).join('\n');
  console.error(
    `usage: npm run bench -- SUITE [--json FILE] [--trace FILE] [--engine NAME] [--peers]\n${list}`,
  );
  process.exit(2);
}
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupted.abort());
try {
  const options = { signal: interrupted.signal, ...values };
  const figures = await suite.run((line) => console.error(line), options);
  const result = report(suite.name, figures);
  console.log(table(result));
  if (values.json !== undefined) writeJson(values.json, result);
} catch (error) {
  if (!interrupted.signal.aborted) throw error;
  console.error('interrupted');
  process.exitCode = 130;
}
