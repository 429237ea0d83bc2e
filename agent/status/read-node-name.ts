import { hostname } from 'node:os';
import { StartError } from '../../platform/process/start-error.ts';

/** The node's name: what is given, or what the kernel calls it; without white space around it, in lower case. Throws a StartError when that is empty. */
export function readNodeName(override: string | undefined): string {
  const name = (override || hostname()).trim();
  if (name === '') throw new StartError('empty hostname is invalid');
  return name.toLowerCase();
}
