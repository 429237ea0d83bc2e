import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatFieldError } from '../../core/errors/make-field-error.ts';
import { isJsonObject, type JsonObject } from '../../core/meta/json.ts';
import { StartError } from '../../platform/process/start-error.ts';
import type { AgentConfiguration } from './agent-configuration.ts';
import type { AgentFlags } from './agent-flags.ts';
import type { ConfigurationIdentity } from './decode-configuration.ts';
import { listIdleFields } from './idle-fields.ts';
import { completeConfiguration, mergeDropIns, overrideConfiguration } from './merge-configuration.ts';
import { findConfigurationFaults, resolveConfiguration } from './resolve-configuration.ts';

/** The configuration that the agent runs by. */
export interface LoadedConfiguration {
  readonly configuration: AgentConfiguration;
  /** The same as a file would have it. */
  readonly document: JsonObject;
  /** Paths of fields that files set and that change nothing yet. */
  readonly idleFields: readonly string[];
}

/** A file or the flags, and the fields they set. */
interface Source {
  readonly name: string;
  readonly document: JsonObject;
}

const dropInExtension = '.conf';
/** One more than a file may have: whoever reads as much refuses it. */
const readBytes = 3 * 1024 * 1024 + 1;
const chunkBytes = 64 * 1024;

/** The identity of files of the configuration under `domain`. */
function identifyConfiguration(domain: string): ConfigurationIdentity {
  return { apiVersion: `agent.config.${domain}/v1beta1`, kind: 'AgentConfiguration' };
}

/**
 * Reads the file and the drop-ins that the flags name, and lays the flags over them. Throws a StartError that names every file and field
 * that is wrong, one a line.
 */
export async function loadConfiguration(flags: AgentFlags): Promise<LoadedConfiguration> {
  const faults: string[] = [];
  const main = flags.configFile === undefined ? undefined : await readSource(flags.configFile, flags.domain, faults);
  const dropIns: Source[] = [];
  for (const file of flags.configDir === undefined ? [] : await listDropIns(flags.configDir)) {
    const dropIn = await readSource(file, flags.domain, faults);
    if (dropIn !== undefined) dropIns.push(dropIn);
  }
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  const merged = mergeDropIns(
    completeConfiguration(main?.document ?? {}),
    dropIns.map(({ document }) => document),
  );
  const complete = overrideConfiguration(merged, flags.overrides);
  const configuration = resolveConfiguration(complete);
  const sources = [...(main === undefined ? [] : [main]), ...dropIns];
  const found = findConfigurationFaults(configuration);
  if (found.length > 0) {
    const lines = found.map((fault) => `${findOrigin(fault.field, sources, flags)}: ${formatFieldError(fault)}`);
    throw new StartError(lines.join('\n'));
  }
  return {
    configuration,
    document: { ...identifyConfiguration(flags.domain), ...complete },
    idleFields: listIdleFields(sources.map(({ document }) => document)),
  };
}

/** Adds to `faults` what is wrong with the file; then there is nothing of it. */
async function readSource(file: string, domain: string, faults: string[]): Promise<Source | undefined> {
  // Most agents run by flags alone.
  const { decodeConfiguration } = await import('./decode-configuration.ts');
  const decoded = decodeConfiguration(await readStart(file), identifyConfiguration(domain), dirname(file));
  if ('document' in decoded) return { name: file, document: decoded.document };
  faults.push(...decoded.faults.map((fault) => `${file}: ${fault}`));
  return undefined;
}

/** The whole file, or so much of it that it is refused. */
async function readStart(file: string): Promise<Uint8Array> {
  try {
    const handle = await open(file, 'r');
    try {
      const chunks: Buffer[] = [];
      for (let left = readBytes; left > 0;) {
        // A pipe gives only a part at a time.
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(left, chunkBytes)), 0, null, null);
        if (bytesRead === 0) break;
        chunks.push(buffer.subarray(0, bytesRead));
        left -= bytesRead;
      }
      return Buffer.concat(chunks);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Drop-ins below a folder in the order of their names; what a mounted volume keeps under names that begin with two dots is left out. */
async function listDropIns(folder: string): Promise<string[]> {
  const files: string[] = [];
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    entries.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('..')) continue;
      if (entry.isDirectory()) files.push(...(await listDropIns(path)));
      else if (entry.name.endsWith(dropInExtension) && (await stat(path)).isFile()) files.push(path);
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${folder} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return files;
}

/** What set the field last. */
function findOrigin(field: string, sources: readonly Source[], flags: AgentFlags): string {
  const names = field.replace(/\[.*$/, '').split('.');
  const override = flags.overrides.findLast(({ path }) => path.join('.') === names.join('.'));
  if (override !== undefined) return override.flag;
  const source = sources.findLast(({ document }) => {
    let value: unknown = document;
    for (const name of names) value = isJsonObject(value) ? value[name] : undefined;
    return value !== undefined && value !== null;
  });
  return source?.name ?? flags.configFile ?? 'the configuration';
}
