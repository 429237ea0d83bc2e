import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { checkDns1123Label, checkDns1123Subdomain } from '../core/validation/names.ts';
import { type LogLevel, logLevels } from '../platform/process/logger.ts';
import { FlagError, type FlagDefinition, parseFlags } from '../platform/process/parse-flags.ts';

/** Files of a certificate to serve, absolute paths. */
export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Authorities that callers trust; `undefined`: the certificate is trusted itself. */
  readonly authorityFile: string | undefined;
}

/** How the webhooks are to run. */
export interface WebhooksConfig {
  readonly domain: string;
  /** Absolute path; `undefined`: the service account of the pod. */
  readonly kubeconfig: string | undefined;
  /** The release's namespace; `undefined`: the pod's, else `default`. */
  readonly namespace: string | undefined;
  /** Name of the release; `undefined`: none, so decisions always bind. */
  readonly release: string | undefined;
  readonly address: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Port of health and metrics over plain HTTP; 0: off. */
  readonly healthPort: number;
  /** How long calls are still taken after the program was asked to end. */
  readonly drainMillis: number;
  readonly logLevel: LogLevel;
  /** Absolute path of PEM authorities of whoever may call; `undefined`: everybody may. */
  readonly clientAuthorityFile: string | undefined;
  /** Common names of callers; empty: whoever such an authority signed for. */
  readonly clientNames: readonly string[];
  /** `undefined`: the certificate is that of the release's Secret. */
  readonly certificate: CertificateFiles | undefined;
  /** The pod that this is; `undefined`: none that anybody knows. */
  readonly pod: { readonly name: string; readonly uid: string } | undefined;
  /** Where audit annotations of reviews are recorded, absolute or `-` for standard output; `undefined`: nowhere. */
  readonly auditLog: AuditLogConfig | undefined;
}

/** A log of audit events and how long it is kept. */
export interface AuditLogConfig {
  readonly file: string;
  readonly maxSizeMegabytes: number;
  /** 0: all are kept. */
  readonly maxBackups: number;
  /** 0: for ever. */
  readonly maxAgeDays: number;
}

type Parsed<T> = { readonly value: T } | { readonly fault: string };

const text: Pick<FlagDefinition<string>, 'parse'> = { parse: (value) => ({ value }) };

function parseInteger(max: number, what: string) {
  return (value: string): Parsed<number> => {
    const number = /^\d{1,5}$/.test(value) ? Number(value) : NaN;
    return number <= max ? { value: number } : { fault: `must be ${what}, 0 to ${max}` };
  };
}

function parseChecked(check: (value: string) => string[]) {
  return (value: string): Parsed<string> => {
    const faults = check(value);
    return faults.length === 0 ? { value } : { fault: faults.join('; ') };
  };
}

function parseLogLevel(value: string): Parsed<LogLevel> {
  const level = logLevels.find((candidate) => candidate === value);
  return level === undefined ? { fault: `must be one of ${logLevels.join(', ')}` } : { value: level };
}

const parsePort = parseInteger(65_535, 'a port');

/** Flags of the webhooks. */
export const webhooksFlags = {
  kubeconfig: {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'how to reach the host; without it, as a pod of the host',
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
    description: "the release's namespace; the pod's, or default, without it",
    parse: parseChecked(checkDns1123Label),
  },
  release: {
    fallback: '',
    valueName: 'NAME',
    description: 'the release this is part of; without it decisions always bind',
    parse: parseChecked(checkDns1123Label),
  },
  address: {
    fallback: '127.0.0.1',
    valueName: 'IP',
    description: 'address to listen on',
    parse: (value: string): Parsed<string> => (isIP(value) === 0 ? { fault: 'must be an IP address' } : { value }),
  },
  port: { fallback: 9443, valueName: 'N', description: 'port to listen on, 0 for a free one', parse: parsePort },
  'health-port': {
    fallback: 0,
    valueName: 'N',
    description: 'port of health and metrics over plain HTTP, 0 for none',
    parse: parsePort,
  },
  'drain-seconds': {
    fallback: 5,
    valueName: 'N',
    description: 'how long calls are still taken after the program was asked to end',
    parse: parseInteger(300, 'a number of seconds'),
  },
  'certificate-file': {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: "certificate to serve, PEM; without it that of the release's Secret",
  },
  'key-file': { ...text, fallback: '', valueName: 'FILE', description: 'private key of the certificate file, PEM' },
  'authority-file': {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'authorities that callers trust, PEM; without it the certificate file itself',
  },
  'client-authority-file': {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'authorities of whoever may call, PEM; without it everybody may who reaches the port',
  },
  'client-names': {
    ...text,
    fallback: '',
    valueName: 'NAMES',
    description: 'common names of whoever may call, with commas; without it all whom these authorities signed for',
  },
  'pod-name': { ...text, fallback: '', valueName: 'NAME', description: 'the pod that this is' },
  'pod-uid': {
    ...text,
    fallback: '',
    valueName: 'UID',
    description: 'its uid, by which what it leaves behind is removed',
  },
  'audit-log-path': {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'where audit annotations of policies are recorded, one event a line; - for standard output',
  },
  'audit-log-maxsize': {
    fallback: 100,
    valueName: 'MB',
    description: 'size at which the audit log is turned over',
    parse: parseInteger(10_000, 'a number of megabytes'),
  },
  'audit-log-maxbackup': {
    fallback: 10,
    valueName: 'N',
    description: 'how many audit logs that were turned over are kept; 0 for all',
    parse: parseInteger(10_000, 'a number'),
  },
  'audit-log-maxage': {
    fallback: 0,
    valueName: 'DAYS',
    description: 'for how long they are kept; 0 for ever',
    parse: parseInteger(10_000, 'a number of days'),
  },
  'log-level': {
    fallback: 'info',
    valueName: 'LEVEL',
    description: 'least level that is logged',
    parse: parseLogLevel,
  },
} as const satisfies Record<string, FlagDefinition<unknown>>;

function readPath(value: string): string | undefined {
  return value === '' ? undefined : resolve(value);
}

function readText(value: string): string | undefined {
  return value === '' ? undefined : value;
}

/** Reads the command line of the webhooks. Paths become absolute. Throws FlagError. */
export function readWebhooksConfig(args: readonly string[]): WebhooksConfig {
  const flags = parseFlags(webhooksFlags, args);
  const certificateFile = readPath(flags['certificate-file']);
  const keyFile = readPath(flags['key-file']);
  const release = readText(flags.release);
  const auditPath: string = flags['audit-log-path'];
  const auditFile = auditPath === '-' ? '-' : readPath(auditPath);
  const domain: string = flags.domain;
  const faults: string[] = [];
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    faults.push('--certificate-file and --key-file go together');
  } else if (certificateFile === undefined && release === undefined) {
    faults.push('without --release, --certificate-file and --key-file must say what to serve');
  }
  if (certificateFile === undefined && flags['authority-file'] !== '') {
    faults.push('--authority-file goes with --certificate-file');
  }
  if (flags['client-authority-file'] === '' && flags['client-names'] !== '') {
    faults.push('--client-names goes with --client-authority-file');
  }
  if ((flags['pod-name'] === '') !== (flags['pod-uid'] === '')) faults.push('--pod-name and --pod-uid go together');
  if (domain === 'k8s.io') faults.push('--domain k8s.io: the host serves these groups itself');
  if (faults.length > 0) throw new FlagError(faults);
  return {
    domain,
    kubeconfig: readPath(flags.kubeconfig),
    namespace: readText(flags.namespace),
    release,
    address: flags.address,
    port: flags.port,
    healthPort: flags['health-port'],
    drainMillis: flags['drain-seconds'] * 1_000,
    logLevel: flags['log-level'],
    clientAuthorityFile: readPath(flags['client-authority-file']),
    clientNames: flags['client-names'].split(',').filter((name) => name !== ''),
    certificate:
      certificateFile === undefined || keyFile === undefined
        ? undefined
        : { certificateFile, keyFile, authorityFile: readPath(flags['authority-file']) },
    pod: flags['pod-uid'] === '' ? undefined : { name: flags['pod-name'], uid: flags['pod-uid'] },
    auditLog:
      auditFile === undefined
        ? undefined
        : {
            file: auditFile,
            maxSizeMegabytes: Math.max(1, flags['audit-log-maxsize']),
            maxBackups: flags['audit-log-maxbackup'],
            maxAgeDays: flags['audit-log-maxage'],
          },
  };
}
