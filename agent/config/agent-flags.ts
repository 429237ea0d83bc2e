import { join, resolve } from 'node:path';
import { checkDns1123Label, checkDns1123Subdomain } from '../../core/validation/names.ts';
import { type LogLevel, logLevels } from '../../platform/process/logger.ts';
import { FlagError, type FlagDefinition, parseFlags } from '../../platform/process/parse-flags.ts';
import { readNodeName } from '../status/read-node-name.ts';
import {
  parseAddress,
  parseAddresses,
  parseBoolean,
  parseChecked,
  parseDuration,
  parseGates,
  parsePort,
  parseWord,
  type Parsed,
} from './parse-flag-values.ts';

/** Whether a kubelet owns the node, or the agent does. */
export type AgentMode = 'beside' | 'owner';

/** What only the command line says. Paths are absolute. */
export interface AgentFlags {
  /** The agent's base directory. */
  readonly rootDir: string;
  readonly certDir: string;
  /** `undefined`: defaults and drop-ins only. */
  readonly configFile: string | undefined;
  readonly configDir: string | undefined;
  /** Name of the node. */
  readonly nodeName: string;
  /** Addresses to report, at most one of each family; empty: found out. */
  readonly nodeIps: readonly string[];
  readonly lockFile: string | undefined;
  /** Whether the agent gives way to another one that wants the lock. */
  readonly exitOnLockContention: boolean;
  /** `undefined`: the service account of the pod, or no API at all. */
  readonly kubeconfig: string | undefined;
  readonly mode: AgentMode;
  readonly domain: string;
  /** Where the agent's Lease is; `undefined`: the pod's namespace, else `kube-system`. */
  readonly namespace: string | undefined;
  readonly logLevel: LogLevel;
  /** How `check` tells what it found. */
  readonly output: 'text' | 'json';
  /** Fields of the configuration that flags set, as in a file. */
  readonly overrides: ConfigurationOverrides;
}

/** Fields of the configuration by path, with the flag that set each. */
export type ConfigurationOverrides = readonly {
  readonly flag: string;
  readonly path: readonly string[];
  readonly value: string | number | boolean;
}[];

const path = { fallback: '', parse: (value: string): Parsed<string> => ({ value }) };
const unset = undefined as string | undefined;

/** Flags of the node agent; those whose value is unset without them set a field of the configuration. */
export const agentFlags = {
  'root-dir': {
    ...path,
    fallback: '/var/lib/bailiwick-agent',
    valueName: 'DIR',
    description: 'directory of what the agent keeps: archives, certificates, state',
  },
  config: { ...path, valueName: 'FILE', description: 'configuration; without it, defaults' },
  'config-dir': {
    ...path,
    valueName: 'DIR',
    description: 'directory of drop-ins, *.conf, merged over the configuration in the order of their names',
  },
  'cert-dir': {
    ...path,
    valueName: 'DIR',
    description: 'directory of certificates; pki in the root directory without it',
  },
  'hostname-override': {
    fallback: '',
    valueName: 'NAME',
    description: "name of the node; the machine's without it",
    parse: (value: string): Parsed<string> => parseChecked(checkDns1123Subdomain)(readNodeName(value)),
  },
  'node-ip': {
    fallback: [] as readonly string[],
    valueName: 'IP[,IP]',
    description: 'addresses of the node to report; found out without it',
    parse: parseAddresses,
  },
  'lock-file': {
    ...path,
    valueName: 'FILE',
    description: 'file that is locked while the agent runs, usually /var/run/bailiwick-agent.lock; none without it',
  },
  'exit-on-lock-contention': {
    fallback: false,
    isSwitch: true,
    valueName: 'BOOL',
    description: 'whether the agent ends when another one wants its lock file',
    parse: parseBoolean,
  },
  kubeconfig: {
    ...path,
    valueName: 'FILE',
    description: 'how to reach the API; without it, as a pod, and outside of one the agent stands alone',
  },
  mode: {
    fallback: 'beside',
    valueName: 'MODE',
    description: 'beside a kubelet that owns the node, or owner of the node',
    parse: parseWord<AgentMode>(['beside', 'owner']),
  },
  domain: {
    fallback: 'bailiwick.dev',
    valueName: 'D',
    description: 'domain of the API groups',
    parse: parseChecked(checkDns1123Subdomain),
  },
  namespace: {
    fallback: '',
    valueName: 'NAME',
    description: "namespace of the agent's Lease; the pod's, or kube-system, without it",
    parse: parseChecked(checkDns1123Label),
  },
  'log-level': {
    fallback: 'info',
    valueName: 'LEVEL',
    description: 'least level that is logged',
    parse: parseWord(logLevels),
  },
  output: {
    fallback: 'text',
    valueName: 'FORMAT',
    description: 'text or json, how check tells what it found',
    parse: parseWord<'text' | 'json'>(['text', 'json']),
  },
  address: { fallback: unset, valueName: 'IP', description: 'address to listen on', parse: parseAddress },
  port: {
    fallback: undefined as number | undefined,
    valueName: 'N',
    description: 'port to listen on, 0 for a free one',
    parse: parsePort,
  },
  'health-port': {
    fallback: undefined as number | undefined,
    valueName: 'N',
    description: 'port of health and metrics over plain HTTP, 0 for none',
    parse: parsePort,
  },
  'healthz-bind-address': {
    fallback: unset,
    valueName: 'IP',
    description: 'address of health and metrics over plain HTTP',
    parse: parseAddress,
  },
  'feature-gates': {
    fallback: undefined as ReadonlyMap<string, boolean> | undefined,
    valueName: 'NAME=BOOL,...',
    description: 'features to turn on or off',
    parse: parseGates,
  },
  'container-runtime-endpoint': {
    ...path,
    fallback: unset,
    valueName: 'SOCKET',
    description: 'socket of the container runtime',
  },
  'image-service-endpoint': {
    ...path,
    fallback: unset,
    valueName: 'SOCKET',
    description: "socket of the image service; the container runtime's without it",
  },
  'runtime-request-timeout': {
    fallback: unset,
    valueName: 'DURATION',
    description: 'how long the runtime may take for a request',
    parse: parseDuration,
  },
  'tls-cert-file': { ...path, fallback: unset, valueName: 'FILE', description: 'certificate to serve, PEM' },
  'tls-private-key-file': { ...path, fallback: unset, valueName: 'FILE', description: 'its private key, PEM' },
  'client-ca-file': {
    ...path,
    fallback: unset,
    valueName: 'FILE',
    description: 'authorities of client certificates, PEM',
  },
  'anonymous-auth': {
    fallback: undefined as boolean | undefined,
    isSwitch: true,
    valueName: 'BOOL',
    description: 'whether requests without credentials are those of system:anonymous',
    parse: parseBoolean,
  },
  'authorization-mode': {
    fallback: unset,
    valueName: 'MODE',
    description: 'AlwaysAllow, or Webhook: the API is asked',
    parse: parseWord(['AlwaysAllow', 'Webhook']),
  },
} as const satisfies Record<string, FlagDefinition<unknown>>;

type AgentFlagName = keyof typeof agentFlags;

/** The field of the configuration that each flag sets. */
export const configurationFlags = {
  address: ['address'],
  port: ['port'],
  'health-port': ['healthzPort'],
  'healthz-bind-address': ['healthzBindAddress'],
  'container-runtime-endpoint': ['containerRuntimeEndpoint'],
  'image-service-endpoint': ['imageServiceEndpoint'],
  'runtime-request-timeout': ['runtimeRequestTimeout'],
  'tls-cert-file': ['tlsCertFile'],
  'tls-private-key-file': ['tlsPrivateKeyFile'],
  'client-ca-file': ['authentication', 'x509', 'clientCAFile'],
  'anonymous-auth': ['authentication', 'anonymous', 'enabled'],
  'authorization-mode': ['authorization', 'mode'],
} as const satisfies Partial<Record<AgentFlagName, readonly string[]>>;

const pathFlags: ReadonlySet<string> = new Set(['tls-cert-file', 'tls-private-key-file', 'client-ca-file']);

function readPath(value: string): string | undefined {
  return value === '' ? undefined : resolve(value);
}

/** The machine's name as a node has it. Throws FlagError when it is none that a node can have. */
function readHostname(): string {
  const name = readNodeName(undefined);
  const faults = checkDns1123Subdomain(name);
  if (faults.length === 0) return name;
  const told = `the machine's name ${JSON.stringify(name)} is none of a node, --hostname-override must say one`;
  throw new FlagError([`${told}: ${faults.join('; ')}`]);
}

/** Reads the command line of the node agent. Throws FlagError. */
export function readAgentFlags(words: readonly string[]): AgentFlags {
  const flags = parseFlags(agentFlags, words);
  const values: Readonly<Record<string, unknown>> = flags;
  const rootDir = resolve(flags['root-dir']);
  const override: string = flags['hostname-override'];
  if (flags['exit-on-lock-contention'] && flags['lock-file'] === '') {
    throw new FlagError(['cannot exit on lock file contention: no lock file specified']);
  }
  const overrides = Object.entries(configurationFlags).flatMap(([flag, field]) => {
    const value = values[flag] as string | number | boolean | undefined;
    if (value === undefined) return [];
    return [{ flag: `--${flag}`, path: field, value: pathFlags.has(flag) ? resolve(String(value)) : value }];
  });
  const gates = [...(flags['feature-gates'] ?? [])].map(([name, value]) => ({
    ...{ flag: '--feature-gates', path: ['featureGates', name], value },
  }));
  return {
    rootDir,
    certDir: readPath(flags['cert-dir']) ?? join(rootDir, 'pki'),
    configFile: readPath(flags.config),
    configDir: readPath(flags['config-dir']),
    nodeName: override === '' ? readHostname() : override,
    nodeIps: flags['node-ip'],
    lockFile: readPath(flags['lock-file']),
    exitOnLockContention: flags['exit-on-lock-contention'],
    kubeconfig: readPath(flags.kubeconfig),
    mode: flags.mode,
    domain: flags.domain,
    namespace: flags.namespace === '' ? undefined : flags.namespace,
    logLevel: flags['log-level'],
    output: flags.output,
    overrides: [...overrides, ...gates],
  };
}
