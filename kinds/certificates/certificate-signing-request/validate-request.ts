import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import {
  makeDuplicate,
  makeForbidden,
  makeInvalid,
  makeNotSupported,
  makeRequired,
} from '../../../core/errors/make-field-error.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { readItems, readNumber, readText, readTextList } from '../../workloads/read-field.ts';

const path = FieldPath.root('spec');
const conditionsPath = FieldPath.root('status', 'conditions');
const certificatePath = FieldPath.root('status', 'certificate');
const shortestSeconds = 600;
const legacySigner = 'kubernetes.io/legacy-unknown';
const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const statuses = ['False', 'True', 'Unknown'];
/** Conditions that are never taken back. */
const finalTypes = ['Approved', 'Denied', 'Failed'];
/** Conditions of whoever decides. */
const decisionTypes = ['Approved', 'Denied'];

function validateUsages(request: KubeObject): FieldError[] {
  const given = readTextList(request, 'spec', 'usages');
  if (given.length === 0) return [makeRequired(path.child('usages'), '')];
  const own = path.child('usages');
  const unknown = given.flatMap((usage, index) =>
    usages.includes(usage) ? [] : [makeNotSupported(own.index(index), usage, usages)],
  );
  const repeated = given.flatMap((usage, index) =>
    given.indexOf(usage) < index ? [makeDuplicate(own.index(index), usage)] : [],
  );
  return [...unknown, ...repeated];
}

/** Whether a signer's name is a domain with a dot inside it, a slash, and a path of one line that begins with no slash. */
function isQualifiedSigner(signer: string): boolean {
  const slash = signer.indexOf('/');
  if (slash < 0) return false;
  const domain = signer.slice(0, slash);
  const rest = signer.slice(slash + 1);
  return (
    domain.slice(1, -1).includes('.') &&
    rest !== '' &&
    !rest.startsWith('/') &&
    !/[\n\r\u2028\u2029]/.test(rest.slice(1))
  );
}

function validateSigner(signer: string): FieldError[] {
  const own = path.child('signerName');
  if (signer === '') return [makeRequired(own, '')];
  if (signer === legacySigner) {
    return [makeInvalid(own, signer, 'the legacy signerName is not allowed via this API version')];
  }
  if (isQualifiedSigner(signer)) return [];
  const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
  return [makeInvalid(own, signer, detail)];
}

/** Faults of a new request. */
export function validateRequest(request: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const text = readText(request, 'spec', 'request');
  const [first] = listPemBlocks(Buffer.from(text, 'base64').toString('latin1'));
  if (first?.type !== 'CERTIFICATE REQUEST') {
    errors.push(makeInvalid(path.child('request'), text, 'PEM block type must be CERTIFICATE REQUEST'));
  }
  errors.push(...validateUsages(request), ...validateSigner(readText(request, 'spec', 'signerName')));
  const seconds = readNumber(request, 'spec', 'expirationSeconds');
  if (seconds !== undefined && seconds < shortestSeconds) {
    const detail = `may not specify a duration less than ${shortestSeconds} seconds (10 minutes)`;
    errors.push(makeInvalid(path.child('expirationSeconds'), seconds, detail));
  }
  return errors;
}

function listTypes(request: KubeObject): string[] {
  return readItems(request, 'status', 'conditions').map((condition) => readText(condition, 'type'));
}

function hasRepeats(types: readonly string[]): boolean {
  return new Set(types).size < types.length;
}

function isBothDecided(types: readonly string[]): boolean {
  return decisionTypes.every((type) => types.includes(type));
}

/** Faults of conditions, but for those that the stored ones have too. */
function validateConditions(request: KubeObject, old: KubeObject): FieldError[] {
  const before = listTypes(old);
  const types = listTypes(request);
  return readItems(request, 'status', 'conditions').flatMap((condition, index) => {
    const own = conditionsPath.index(index);
    const type = readText(condition, 'type');
    const status = readText(condition, 'status');
    const allowed = finalTypes.includes(type) ? ['True'] : statuses;
    const earlier = types.slice(0, index);
    const errors: FieldError[] = [];
    if (type === '' && !before.includes('')) errors.push(makeRequired(own.child('type'), ''));
    if (status === '') errors.push(makeRequired(own.child('status'), ''));
    else if (!allowed.includes(status)) errors.push(makeNotSupported(own.child('status'), status, allowed));
    const other = decisionTypes.find((decision) => decision !== type) ?? '';
    if (decisionTypes.includes(type) && earlier.includes(other) && !isBothDecided(before)) {
      errors.push(makeInvalid(conditionsPath, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (earlier.includes(type) && !hasRepeats(before)) errors.push(makeDuplicate(own.child('type'), type));
    return errors;
  });
}

interface PemBlock {
  readonly type: string;
  hasHeaders: boolean;
}

/** The whole blocks of a text, in one walk: what is begun anew before its end does not count. */
function listPemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: PemBlock | undefined;
  for (const line of text.split('\n')) {
    const { edge, type = '' } = /^-----(?<edge>BEGIN|END) (?<type>.*)-----\s*$/.exec(line)?.groups ?? {};
    if (edge === 'BEGIN') open = { type, hasHeaders: false };
    else if (edge === 'END' && open?.type === type) {
      blocks.push(open);
      open = undefined;
    } else if (open !== undefined && line.includes(':')) open.hasHeaders = true;
  }
  return blocks;
}

/** What is wrong with the armour of a certificate; `undefined`: nothing. */
function explainCertificateFault(text: string): string | undefined {
  const blocks = listPemBlocks(Buffer.from(text, 'base64').toString('latin1'));
  for (const { type, hasHeaders } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${quoteGo(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function countOf(types: readonly string[], wanted: string): number {
  return types.filter((type) => type === wanted).length;
}

function validateKept(request: KubeObject, old: KubeObject): FieldError[] {
  const types = listTypes(request);
  const before = listTypes(old);
  return finalTypes
    .filter((type) => countOf(types, type) < countOf(before, type))
    .map((type) => makeForbidden(conditionsPath, `updates may not remove a condition of type "${type}"`));
}

/** Faults of what a signer writes: anything but a decision. */
export function validateStatus(request: KubeObject, old: KubeObject): FieldError[] {
  const certificate = readText(request, 'status', 'certificate');
  const before = readText(old, 'status', 'certificate');
  const errors = validateConditions(request, old);
  if (certificate !== before) {
    const fault = certificate === '' ? undefined : explainCertificateFault(certificate);
    const isOldSound = before === '' || explainCertificateFault(before) === undefined;
    if (fault !== undefined && isOldSound) errors.push(makeInvalid(certificatePath, '<certificate data>', fault));
  }
  errors.push(...validateKept(request, old));
  const added = decisionTypes.filter((type) => countOf(listTypes(request), type) > countOf(listTypes(old), type));
  for (const type of added) {
    errors.push(makeForbidden(conditionsPath, `updates may not add a condition of type "${type}"`));
  }
  if (certificate !== before && before !== '') {
    errors.push(makeForbidden(certificatePath, 'updates may not modify existing certificate content'));
  }
  return errors;
}

/** Faults of what whoever decides writes: conditions. */
export function validateApproval(request: KubeObject, old: KubeObject): FieldError[] {
  return [...validateConditions(request, old), ...validateKept(request, old)];
}
