import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { checkDns1123Label, checkDns1123Subdomain } from '../../core/validation/names.ts';
import { logLevels } from '../../platform/process/logger.ts';
import type { LogLevel } from '../../platform/process/logger.ts';
import { FlagError, parseFlags } from '../../platform/process/parse-flags.ts';
import type { FlagDefinition, FlagValues } from '../../platform/process/parse-flags.ts';
import { controllerNames, selectControllers, type ControllerName } from './select-controllers.ts';
import type { AuditConfig } from '../apiserver/audit/open-audit.ts';
import type { NodeLifecycleSettings } from '../controllers/node-lifecycle/node-lifecycle-settings.ts';
import { nodeLifecycleFlags, readNodeLifecycleSettings, tolerationFlags } from './node-lifecycle-flags.ts';

/** How the operator is to run, wherever its objects live. */
interface CommonConfig {
  /** Absolute path of the directory of what the operator keeps: the keys, the kubeconfig, embedded the database. */
  readonly dataDirectory: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly domain: string;
  /** IP address to listen on. */
  readonly address: string;
  readonly logLevel: LogLevel;
  /** How nodes are watched, where they are. */
  readonly nodeLifecycle: NodeLifecycleSettings;
  /** Seats of the requests that are served at one time. */
  readonly totalSeats: number;
  /** Absolute path of PEM certificates that node agents are trusted by besides those issued to them; `undefined`: none. */
  readonly agentAuthorityFile: string | undefined;
}

/** With a store of its own. */
export interface EmbeddedConfig extends CommonConfig {
  readonly store: 'sqlite';
  /** Absolute path of a token file; `undefined` without static tokens. */
  readonly tokenFile: string | undefined;
  /** `undefined`: requests are not recorded. */
  readonly audit: AuditConfig | undefined;
  /** Those that run; the others are left to somebody else. */
  readonly controllers: ReadonlySet<ControllerName>;
}

/** On a host, whose custom resources hold the objects. */
export interface HostConfig extends CommonConfig {
  readonly store: 'crds';
  /** Absolute path; `undefined`: the service account of the pod. */
  readonly kubeconfig: string | undefined;
  /** The release's namespace; `undefined`: the pod's, else `default`. */
  readonly namespace: string | undefined;
  /** Name of the release; `undefined`: none, so nothing is registered at the host and certificates are self-made. */
  readonly release: string | undefined;
  /** Port of what the host's aggregator reaches; 0: off. */
  readonly aggregatedPort: number;
  /** Port of health and metrics over plain HTTP; 0: off. */
  readonly healthPort: number;
  /** Where the host reaches the webhooks; `undefined`: by the release's Service. */
  readonly webhooksUrl: string | undefined;
  /** Absolute path of PEM authorities whose client certificates are acted for by impersonation; `undefined`: no client's are. */
  readonly impersonatedClientsFile: string | undefined;
  /** Who makes the certificates of a release: the operator, or somebody else who writes them into the Secrets. */
  readonly certificates: 'own' | 'secret';
  readonly authorityValiditySeconds: number;
  readonly certificateValiditySeconds: number;
  readonly certificateSettleSeconds: number;
  /** Whether nodes are watched: on most hosts the host's own controllers do that. */
  readonly watchesNodes: boolean;
  /** Whether there are node agents: they get certificates, and are asked for checkpoints. */
  readonly hasAgents: boolean;
}

export type OperatorConfig = EmbeddedConfig | HostConfig;

const text: Pick<FlagDefinition<string>, 'parse'> = { parse: (value) => ({ value }) };

function parsePort(value: string): { value: number } | { fault: string } {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : NaN;
  return port <= 65_535 ? { value: port } : { fault: 'must be a port, 0 to 65535' };
}

function parseSeconds(value: string): { value: number } | { fault: string } {
  return /^[1-9]\d{0,9}$/.test(value) ? { value: Number(value) } : { fault: 'must be a number of seconds, 1 or more' };
}

function parseAmount(least: number) {
  return (value: string): { value: number } | { fault: string } => {
    const amount = /^\d{1,6}$/.test(value) ? Number(value) : NaN;
    return amount >= least ? { value: amount } : { fault: `must be a number, ${least} or more` };
  };
}

function parseDomain(value: string): { value: string } | { fault: string } {
  const faults = checkDns1123Subdomain(value);
  return faults.length === 0 ? { value } : { fault: faults.join('; ') };
}

function parseLabel(value: string): { value: string } | { fault: string } {
  const faults = checkDns1123Label(value);
  return faults.length === 0 ? { value } : { fault: faults.join('; ') };
}

function parseAddress(value: string): { value: string } | { fault: string } {
  return isIP(value) === 0 ? { fault: 'must be an IP address' } : { value };
}

function parseUrl(value: string): { value: string } | { fault: string } {
  const isUsable = URL.canParse(value) && new URL(value).protocol === 'https:';
  return isUsable ? { value } : { fault: 'must be an https:// URL' };
}

function parseChoice<T extends string>(choices: readonly T[]) {
  return (value: string): { value: T } | { fault: string } => {
    const choice = choices.find((candidate) => candidate === value);
    return choice === undefined ? { fault: `must be one of ${choices.join(', ')}` } : { value: choice };
  };
}

/** Gives a flag the type of all its values, where the fallback's own is narrower. */
function defineFlag<T>(definition: FlagDefinition<T>): FlagDefinition<T> {
  return definition;
}

const commonFlags = {
  store: defineFlag<'sqlite' | 'crds'>({
    fallback: 'sqlite',
    valueName: 'sqlite|crds',
    description: 'where objects live: a database of its own, or custom resources of a host',
    parse: parseChoice(['sqlite', 'crds']),
  }),
  'data-dir': {
    ...text,
    fallback: '.bailiwick',
    valueName: 'DIR',
    description: 'directory of the database, the keys and the kubeconfig',
  },
  port: { fallback: 6443, valueName: 'N', description: 'port to listen on, 0 for a free one', parse: parsePort },
  domain: defineFlag<string>({
    fallback: 'bailiwick.dev',
    valueName: 'D',
    description: 'domain of the API groups; fixed at the first start',
    parse: parseDomain,
  }),
  address: { fallback: '127.0.0.1', valueName: 'IP', description: 'address to listen on', parse: parseAddress },
  'log-level': defineFlag<LogLevel>({
    fallback: 'info',
    valueName: 'LEVEL',
    description: 'least level that is logged',
    parse: parseChoice(logLevels),
  }),
  ...nodeLifecycleFlags,
  'max-requests-inflight': {
    fallback: 400,
    valueName: 'N',
    description: 'requests that are served at one time are bounded by the sum of this',
    parse: parseAmount(0),
  },
  'max-mutating-requests-inflight': {
    fallback: 200,
    valueName: 'N',
    description: 'and this; priority levels divide the sum by their shares',
    parse: parseAmount(0),
  },
  'agent-authority': {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'certificates that node agents are trusted by besides those that are issued to them',
  },
} as const satisfies Record<string, FlagDefinition<unknown>>;

const embeddedFlags = {
  ...tolerationFlags,
  'token-auth-file': {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'static tokens as CSV: token,user,uid,"group1,group2"',
  },
  controllers: {
    ...text,
    fallback: '*',
    valueName: 'LIST',
    description: 'controllers that run: * for all, NAME for one, -NAME for all but one',
    parse: (value: string) => {
      const selected = selectControllers(value);
      return 'fault' in selected ? selected : { value };
    },
  },
  'audit-log-path': {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'where requests are recorded, - for standard output; not at all without it',
  },
  'audit-policy-file': {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'what of which requests is recorded; who wrote what, without the bodies, without it',
  },
  'audit-log-maxsize': {
    fallback: 100,
    valueName: 'N',
    description: 'megabytes at which the next file of the audit log is begun',
    parse: parseAmount(1),
  },
  'audit-log-maxbackup': {
    fallback: 10,
    valueName: 'N',
    description: 'how many finished files of the audit log are kept, 0 for all',
    parse: parseAmount(0),
  },
  'audit-log-maxage': {
    fallback: 0,
    valueName: 'N',
    description: 'how many days finished files of the audit log are kept, 0 for ever',
    parse: parseAmount(0),
  },
} as const satisfies Record<string, FlagDefinition<unknown>>;

const hostFlags = {
  kubeconfig: {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'how to reach the host; without it, as a pod of the host',
  },
  namespace: {
    fallback: '',
    valueName: 'NAME',
    description: "the release's namespace; the pod's, or default, without it",
    parse: parseLabel,
  },
  release: {
    fallback: '',
    valueName: 'NAME',
    description: 'the release this is part of; without it nothing is registered at the host',
    parse: parseLabel,
  },
  'aggregated-port': {
    fallback: 0,
    valueName: 'N',
    description: "port for the host's aggregator, 0 for none",
    parse: parsePort,
  },
  'health-port': {
    fallback: 0,
    valueName: 'N',
    description: 'port of health and metrics over plain HTTP, 0 for none',
    parse: parsePort,
  },
  'webhooks-url': {
    fallback: '',
    valueName: 'URL',
    description: "where the host reaches the webhooks; the release's Service without it",
    parse: parseUrl,
  },
  'impersonate-clients-of': {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'authorities whose client certificates are acted for by impersonation',
  },
  certificates: defineFlag<'own' | 'secret'>({
    fallback: 'own',
    valueName: 'own|secret',
    description: "who makes the release's certificates: the operator, or whoever writes their Secrets",
    parse: parseChoice(['own', 'secret']),
  }),
  'authority-validity-seconds': {
    fallback: 730 * 86_400,
    valueName: 'N',
    description: 'how long an authority that the operator makes is valid',
    parse: parseSeconds,
  },
  'certificate-validity-seconds': {
    fallback: 90 * 86_400,
    valueName: 'N',
    description: 'how long a certificate that the operator makes is valid',
    parse: parseSeconds,
  },
  'certificate-settle-seconds': {
    fallback: 60,
    valueName: 'N',
    description: 'how long a new authority is trusted before it is used',
    parse: parseSeconds,
  },
  'node-lifecycle': defineFlag<'on' | 'off'>({
    fallback: 'off',
    valueName: 'on|off',
    description: "whether nodes are watched in place of the host's own controllers",
    parse: parseChoice(['on', 'off']),
  }),
  agents: defineFlag<'on' | 'off'>({
    fallback: 'off',
    valueName: 'on|off',
    description: 'whether node agents get certificates and are asked for checkpoints',
    parse: parseChoice(['on', 'off']),
  }),
} as const satisfies Record<string, FlagDefinition<unknown>>;

/** Flags of the operator. */
export const operatorFlags = { ...commonFlags, ...embeddedFlags, ...hostFlags } as const;

type OperatorFlagValues = FlagValues<typeof operatorFlags>;

/** The path, made absolute; `undefined` when none is given. */
function resolveFile(path: string): string | undefined {
  return path === '' ? undefined : resolve(path);
}

/** Flags that were given though the chosen store has no use for them. */
function listForeignFlags(flags: OperatorFlagValues): string[] {
  const [store, foreign] = flags.store === 'sqlite' ? ['crds', hostFlags] : ['sqlite', embeddedFlags];
  return Object.entries(foreign)
    .filter(([name, { fallback }]) => flags[name as keyof OperatorFlagValues] !== fallback)
    .map(([name]) => `--${name} is only for --store ${store}`);
}

function readAuditConfig(flags: OperatorFlagValues): AuditConfig | undefined {
  const path = flags['audit-log-path'];
  if (path === '') return undefined;
  return {
    file: path === '-' ? path : resolve(path),
    policyFile: resolveFile(flags['audit-policy-file']),
    maxSizeMegabytes: flags['audit-log-maxsize'],
    maxBackups: flags['audit-log-maxbackup'],
    maxAgeDays: flags['audit-log-maxage'],
  };
}

/** Reads the operator's command line. Paths become absolute. Throws FlagError. */
export function readOperatorConfig(args: readonly string[]): OperatorConfig {
  const flags: OperatorFlagValues = parseFlags(operatorFlags, args);
  const faults = listForeignFlags(flags);
  if (flags.store === 'crds' && flags.domain === 'k8s.io') {
    faults.push("--domain k8s.io: a host serves the groups of this domain itself; choose a domain of one's own");
  }
  if (flags['audit-policy-file'] !== '' && flags['audit-log-path'] === '') {
    faults.push('--audit-policy-file: nothing is recorded without --audit-log-path');
  }
  const totalSeats = flags['max-requests-inflight'] + flags['max-mutating-requests-inflight'];
  if (totalSeats === 0) {
    faults.push('--max-requests-inflight and --max-mutating-requests-inflight must add up to something positive');
  }
  if (faults.length > 0) throw new FlagError(faults);
  const common = {
    dataDirectory: resolve(flags['data-dir']),
    port: flags.port,
    domain: flags.domain,
    address: flags.address,
    logLevel: flags['log-level'],
    nodeLifecycle: readNodeLifecycleSettings(flags),
    totalSeats,
    agentAuthorityFile: resolveFile(flags['agent-authority']),
  };
  if (flags.store === 'sqlite') {
    const tokenFile = resolveFile(flags['token-auth-file']);
    const selected = selectControllers(flags.controllers);
    const controllers = 'value' in selected ? selected.value : new Set(controllerNames);
    return { ...common, store: 'sqlite', tokenFile, audit: readAuditConfig(flags), controllers };
  }
  return {
    ...common,
    store: 'crds',
    kubeconfig: resolveFile(flags.kubeconfig),
    namespace: flags.namespace || undefined,
    release: flags.release || undefined,
    aggregatedPort: flags['aggregated-port'],
    healthPort: flags['health-port'],
    webhooksUrl: flags['webhooks-url'] || undefined,
    impersonatedClientsFile: resolveFile(flags['impersonate-clients-of']),
    certificates: flags.certificates,
    authorityValiditySeconds: flags['authority-validity-seconds'],
    certificateValiditySeconds: flags['certificate-validity-seconds'],
    certificateSettleSeconds: flags['certificate-settle-seconds'],
    watchesNodes: flags['node-lifecycle'] === 'on',
    hasAgents: flags.agents === 'on',
  };
}
