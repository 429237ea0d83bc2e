import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { checkDns1123Subdomain } from '../../core/validation/names.ts';
import { logLevels } from '../../platform/process/logger.ts';
import type { LogLevel } from '../../platform/process/logger.ts';
import { parseFlags } from '../../platform/process/parse-flags.ts';
import type { FlagDefinition } from '../../platform/process/parse-flags.ts';

/** How the operator is to run. */
export interface OperatorConfig {
  /** Absolute path of the directory of the database, the keys and the kubeconfig. */
  readonly dataDirectory: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly domain: string;
  /** IP address to listen on. */
  readonly address: string;
  /** Absolute path of a token file; `undefined` without static tokens. */
  readonly tokenFile: string | undefined;
  readonly logLevel: LogLevel;
}

const text: Pick<FlagDefinition<string>, 'parse'> = { parse: (value) => ({ value }) };

function parsePort(value: string): { value: number } | { fault: string } {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : NaN;
  return port <= 65_535 ? { value: port } : { fault: 'must be a port, 0 to 65535' };
}

function parseDomain(value: string): { value: string } | { fault: string } {
  const faults = checkDns1123Subdomain(value);
  return faults.length === 0 ? { value } : { fault: faults.join('; ') };
}

function parseAddress(value: string): { value: string } | { fault: string } {
  return isIP(value) === 0 ? { fault: 'must be an IP address' } : { value };
}

function parseLogLevel(value: string): { value: LogLevel } | { fault: string } {
  const level = logLevels.find((candidate) => candidate === value);
  return level === undefined ? { fault: `must be one of ${logLevels.join(', ')}` } : { value: level };
}

/** Flags of the operator. */
export const operatorFlags = {
  'data-dir': {
    ...text,
    fallback: '.bailiwick',
    valueName: 'DIR',
    description: 'directory of the database, the keys and the kubeconfig',
  },
  port: { fallback: 6443, valueName: 'N', description: 'port to listen on, 0 for a free one', parse: parsePort },
  domain: {
    fallback: 'bailiwick.dev',
    valueName: 'D',
    description: 'domain of the API groups; fixed at the first start',
    parse: parseDomain,
  },
  address: { fallback: '127.0.0.1', valueName: 'IP', description: 'address to listen on', parse: parseAddress },
  'token-auth-file': {
    ...text,
    fallback: '',
    valueName: 'FILE',
    description: 'static tokens as CSV: token,user,uid,"group1,group2"',
  },
  'log-level': {
    fallback: 'info',
    valueName: 'LEVEL',
    description: 'least level that is logged',
    parse: parseLogLevel,
  },
} as const satisfies Record<string, FlagDefinition<unknown>>;

/** Reads the operator's command line. Paths become absolute. Throws FlagError. */
export function readOperatorConfig(args: readonly string[]): OperatorConfig {
  const flags = parseFlags(operatorFlags, args);
  const tokenFile: string = flags['token-auth-file'];
  return {
    dataDirectory: resolve(flags['data-dir']),
    port: flags.port,
    domain: flags.domain,
    address: flags.address,
    tokenFile: tokenFile === '' ? undefined : resolve(tokenFile),
    logLevel: flags['log-level'],
  };
}
