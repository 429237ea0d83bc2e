import { createHash } from 'node:crypto';

/** The hash of a flow: 64 bits that deal its queues, by the name of its schema and what tells its flows apart. */
export function hashFlow(schemaName: string, distinguisher: string): bigint {
  return createHash('sha256').update(`${schemaName}\0${distinguisher}`).digest().readBigUInt64LE(0);
}
