import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { FieldError } from '../../core/errors/field-error.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import * as fieldErrors from '../../core/errors/make-field-error.ts';
import * as statusErrors from '../../core/errors/make-status-error.ts';
import type { StatusError } from '../../core/errors/status.ts';
import { projectRoot } from '../run-command.ts';
import { readTables } from './read-tables.ts';

const page = readFileSync(join(projectRoot, 'docs/reference/errors.md'), 'utf8');
const path = FieldPath.root('spec');

/** One error of each constructor, by its name. */
const statusSamples: Readonly<Record<string, () => StatusError>> = {
  makeNotFoundError: () => statusErrors.makeNotFoundError('', 'pods', 'a'),
  makeGenericNotFoundError: () => statusErrors.makeGenericNotFoundError(),
  makeAlreadyExistsError: () => statusErrors.makeAlreadyExistsError('', 'pods', 'a'),
  makeGenerateNameConflictError: () => statusErrors.makeGenerateNameConflictError('', 'pods', 'web-x7k2p', 1),
  makeConflictError: () =>
    statusErrors.makeConflictError(
      '',
      'pods',
      'a',
      'the object has been modified; please apply your changes to the latest version and try again',
    ),
  makeApplyConflictError: () =>
    statusErrors.makeApplyConflictError([], 'Apply failed with 1 conflict: conflict with "alice": .data.key'),
  makeInvalidError: () =>
    statusErrors.makeInvalidError('', 'ResourceQuota', 'a', [
      fieldErrors.makeInvalid(path.child('hard').key('pods'), '-1', 'must be greater than or equal to 0'),
    ]),
  makeBadRequestError: () =>
    statusErrors.makeBadRequestError('the name of the object (b) does not match the name on the URL (a)'),
  makeForbiddenError: () =>
    statusErrors.makeForbiddenError(
      '',
      'pods',
      'a',
      'exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10',
    ),
  makeUnauthorizedError: () => statusErrors.makeUnauthorizedError(),
  makeMethodNotSupportedError: () => statusErrors.makeMethodNotSupportedError('', 'pods', 'create'),
  makeExpiredError: () => statusErrors.makeExpiredError('too old resource version: 5 (900)'),
  makeGoneError: () => statusErrors.makeGoneError('gone'),
  makeTooManyRequestsError: () => statusErrors.makeTooManyRequestsError('too many requests, please try again later', 1),
  makeTooLargeError: () => statusErrors.makeTooLargeError('limit is 3145728'),
  makeUnsupportedMediaTypeError: () =>
    statusErrors.makeUnsupportedMediaTypeError(
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ),
  makeNotAcceptableError: () =>
    statusErrors.makeNotAcceptableError('only the following media types are accepted: application/json'),
  makeInternalError: () => statusErrors.makeInternalError('the request could not be served; see the log for 6f1c'),
  makeTimeoutError: () => statusErrors.makeTimeoutError('request did not complete within the allotted timeout', 1),
  makeServerTimeoutError: () => statusErrors.makeServerTimeoutError('', 'pods', 'create', 1),
  makeServiceUnavailableError: () => statusErrors.makeServiceUnavailableError('not ready'),
};

const fieldSamples: Readonly<Record<string, () => FieldError>> = {
  makeInvalid: () => fieldErrors.makeInvalid(path, 'A', 'must be lower case'),
  makeRequired: () => fieldErrors.makeRequired(path, 'must be set'),
  makeDuplicate: () => fieldErrors.makeDuplicate(path, 'a'),
  makeNotSupported: () => fieldErrors.makeNotSupported(path, 'X', ['A', 'B']),
  makeForbidden: () => fieldErrors.makeForbidden(path, 'may not be set'),
  makeTooLong: () => fieldErrors.makeTooLong(path, '', 262_144),
  makeTooMany: () => fieldErrors.makeTooMany(path, 3, 2),
  makeNotFound: () => fieldErrors.makeNotFound(path, 'data'),
  makeTypeInvalid: () => fieldErrors.makeTypeInvalid(path, 1, 'must be a string'),
  makeInternal: () => fieldErrors.makeInternal(path, 'cannot be compared'),
};

function listConstructors(module: object): string[] {
  return Object.keys(module)
    .filter((name) => name.startsWith('make'))
    .sort();
}

/** Source files of the programs, tests and test data left out, in one text. */
function readSources(): string {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', 'core', 'admission', 'operator'], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  return files
    .split('\n')
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !/testdata|make-status-error/.test(file))
    .map((file) => readFileSync(join(projectRoot, file), 'utf8'))
    .join('\n');
}

describe('docs/reference/errors.md', () => {
  it('shows one error of every constructor', () => {
    expect(Object.keys(statusSamples).sort()).toEqual(listConstructors(statusErrors));
    expect(Object.keys(fieldSamples).sort()).toEqual(listConstructors(fieldErrors));
  });

  it('lists every reason that can be answered, and none besides', () => {
    const expected = Object.values(statusSamples).map((make) => {
      const { status } = make();
      return `${status.code} ${status.reason}: ${status.message}`;
    });
    const rows = readTables(page, ['code', 'reason', 'when', 'message']);
    const fixed = page.slice(page.indexOf('Fixed answers'));
    const isFixed = (message: string): boolean => fixed.includes(message);
    const listed = rows.map(([code, reason, , message]) => `${code} ${reason}: ${message}`);
    expect(listed.filter((_row, index) => !isFixed(rows[index]?.[3] ?? '')).sort()).toEqual(expected.sort());
  });

  it('says of which reasons nothing answers them yet', () => {
    const sources = readSources();
    const rows = readTables(page, ['code', 'reason', 'when', 'message']);
    const unused = rows.filter(([, , when]) => when?.startsWith('Not yet')).map(([, , , message]) => message);
    const expected = Object.entries(statusSamples)
      .filter(([name]) => !new RegExp(String.raw`\b${name}\(`).test(sources))
      .map(([, make]) => make().status.message);
    expect(new Set(unused)).toEqual(new Set(expected));
  });

  it('has the fixed answers word for word', () => {
    const sources = readSources();
    for (const text of [
      'the server does not allow this method on the requested resource',
      '406: Not Acceptable',
      '415: Unsupported Media Type',
      'the server rejected our request due to an error in our request',
    ]) {
      expect(page).toContain(text);
      expect(sources).toContain(text);
    }
  });

  it('lists every fault of a field, and none besides', () => {
    const expected = Object.values(fieldSamples).map((make) => {
      const error = make();
      const message = fieldErrors.formatFieldErrorBody(error);
      return `${error.type}: ${message.split(':')[0]}: ${message}`;
    });
    const listed = readTables(page, ['reason', 'begins with', 'when', 'message']).map(
      ([reason, start, , message]) => `${reason}: ${start}: ${message}`,
    );
    expect(listed.sort()).toEqual(expected.sort());
  });
});
