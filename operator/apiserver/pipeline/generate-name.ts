import { randomInt } from 'node:crypto';

/** Kubernetes' alphabet: no vowels, and no digits or letters that look like one another. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_PREFIX_LENGTH = 63 - SUFFIX_LENGTH;

/** A name that begins with the prefix, cut so that the whole has at most 63 characters, and ends with five random ones. */
export function generateName(prefix: string): string {
  let name = prefix.slice(0, MAX_PREFIX_LENGTH);
  for (let i = 0; i < SUFFIX_LENGTH; i++) name += ALPHABET[randomInt(ALPHABET.length)];
  return name;
}
