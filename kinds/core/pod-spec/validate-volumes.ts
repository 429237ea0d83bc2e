import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import {
  makeDuplicate,
  makeForbidden,
  makeInvalid,
  makeNotFound,
  makeRequired,
} from '../../../core/errors/make-field-error.ts';
import { isJsonObject, type JsonObject } from '../../../core/meta/json.ts';
import { readQuantity, signOfQuantity } from '../../../core/quantity/quantity.ts';
import { checkDns1123Label } from '../../../core/validation/names.ts';
import { readField, readItems, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { makeInvalids, validateOptionalChoice, validatePresent } from './validate-choice.ts';

const fileModeFault = 'must be a number between 0 and 0777 (octal), both inclusive';
const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** Volumes of a pod by name, as far as they are valid. */
export type VolumesByName = ReadonlyMap<string, JsonObject>;

function validateMode(owner: unknown, key: string, path: FieldPath): FieldError[] {
  const mode = readNumber(owner, key);
  return mode === undefined || (mode >= 0 && mode <= 0o777) ? [] : [makeInvalid(path.child(key), mode, fileModeFault)];
}

function validateNoBacksteps(value: string, path: FieldPath): FieldError[] {
  return value.split('/').includes('..') ? [makeInvalid(path, value, "must not contain '..'")] : [];
}

function validateDescendingPath(value: string, path: FieldPath): FieldError[] {
  const errors = value.startsWith('/') ? [makeInvalid(path, value, 'must be a relative path')] : [];
  return [...errors, ...validateNoBacksteps(value, path)];
}

function validateFilePath(owner: JsonObject, path: FieldPath): FieldError[] {
  const file = readText(owner, 'path');
  const reserved = file.startsWith('..') && !file.startsWith('../') && file !== '..';
  return [
    ...validatePresent(owner, 'path', path),
    ...validateDescendingPath(file, path.child('path')),
    ...(reserved ? [makeInvalid(path.child('path'), file, "must not start with '..'")] : []),
  ];
}

function validateFiles(source: JsonObject, path: FieldPath): FieldError[] {
  return readItems(source, 'items').flatMap((item, index) => {
    const own = path.child('items').index(index);
    return [...validatePresent(item, 'key', own), ...validateFilePath(item, own), ...validateMode(item, 'mode', own)];
  });
}

/** Kubernetes names the volume's source, not the file. */
function validateFieldFiles(source: JsonObject, path: FieldPath): FieldError[] {
  return readItems(source, 'items').flatMap((item) => {
    const isChosen = isJsonObject(item['fieldRef']) || isJsonObject(item['resourceFieldRef']);
    return [
      ...validateFilePath(item, path),
      ...(isChosen ? [] : [makeRequired(path, 'one of fieldRef and resourceFieldRef is required')]),
      ...validateMode(item, 'mode', path),
    ];
  });
}

function validateProjections(projected: JsonObject, path: FieldPath): FieldError[] {
  return readItems(projected, 'sources').flatMap((source, index) => {
    const own = path.child('sources').index(index);
    const errors: FieldError[] = [];
    for (const key of ['secret', 'configMap']) {
      const files = readObject(source, key);
      if (files === undefined) continue;
      errors.push(...validatePresent(files, 'name', own.child(key)), ...validateFiles(files, own.child(key)));
    }
    const fields = readObject(source, 'downwardAPI');
    if (fields !== undefined) errors.push(...validateFieldFiles(fields, own.child('downwardAPI')));
    const token = readObject(source, 'serviceAccountToken');
    if (token === undefined) return errors;
    const seconds = readNumber(token, 'expirationSeconds') ?? 0;
    const lifetime = own.child('serviceAccountToken', 'expirationSeconds');
    if (seconds < 600) errors.push(makeInvalid(lifetime, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds > 2 ** 32) {
      errors.push(makeInvalid(lifetime, seconds, 'may not specify a duration larger than 2^32 seconds'));
    }
    return [...errors, ...validateFilePath(token, path)];
  });
}

type SourceCheck = (source: JsonObject, path: FieldPath) => FieldError[];

const sourceChecks: Readonly<Record<string, SourceCheck>> = {
  emptyDir(source, path) {
    const limit = readText(source, 'sizeLimit');
    if (limit === '' || signOfQuantity(readQuantity(limit)) >= 0) return [];
    return [makeForbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')];
  },
  hostPath(source, path) {
    const missing = validatePresent(source, 'path', path);
    if (missing.length > 0) return missing;
    return [
      ...validateNoBacksteps(readText(source, 'path'), path.child('path')),
      ...validateOptionalChoice(source, 'type', hostPathTypes, path),
    ];
  },
  secret: (source, path) => [
    ...validatePresent(source, 'secretName', path),
    ...validateMode(source, 'defaultMode', path),
    ...validateFiles(source, path),
  ],
  configMap: (source, path) => [
    ...validatePresent(source, 'name', path),
    ...validateMode(source, 'defaultMode', path),
    ...validateFiles(source, path),
  ],
  downwardAPI: (source, path) => [...validateMode(source, 'defaultMode', path), ...validateFieldFiles(source, path)],
  projected: (source, path) => [...validateMode(source, 'defaultMode', path), ...validateProjections(source, path)],
  persistentVolumeClaim: (source, path) => validatePresent(source, 'claimName', path),
  nfs: (source, path) => [...validatePresent(source, 'server', path), ...validatePresent(source, 'path', path)],
  csi: (source, path) => validatePresent(source, 'driver', path),
  ephemeral: (source, path) =>
    readObject(source, 'volumeClaimTemplate') === undefined
      ? [makeRequired(path.child('volumeClaimTemplate'), '')]
      : [],
};

function validateSource(volume: JsonObject, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const sources = Object.keys(volume).filter((key) => key !== 'name' && isJsonObject(volume[key]));
  // In the order of the checks, so that the first of several sources is the one that counts.
  const rank = (key: string): number => Object.keys(sourceChecks).indexOf(key);
  for (const [index, key] of sources.sort((a, b) => rank(a) - rank(b)).entries()) {
    const own = path.child(key);
    if (index > 0) errors.push(makeForbidden(own, 'may not specify more than 1 volume type'));
    else errors.push(...(sourceChecks[key]?.(readObject(volume, key) ?? {}, own) ?? []));
  }
  if (sources.length === 0) errors.push(makeRequired(path, 'must specify a volume type'));
  return errors;
}

/** Faults of a pod's volumes, and those that are valid by name. */
export function validateVolumes(spec: unknown, path: FieldPath): { errors: FieldError[]; volumes: VolumesByName } {
  const errors: FieldError[] = [];
  const volumes = new Map<string, JsonObject>();
  for (const [index, volume] of readItems(spec, 'volumes').entries()) {
    const own = path.child('volumes').index(index);
    const name = readText(volume, 'name');
    const faults = [
      ...validateSource(volume, own),
      ...(name === ''
        ? [makeRequired(own.child('name'), '')]
        : makeInvalids(own.child('name'), name, checkDns1123Label(name))),
      ...(volumes.has(name) ? [makeDuplicate(own.child('name'), name)] : []),
    ];
    if (faults.length === 0) volumes.set(name, volume);
    errors.push(...faults);
  }
  return { errors, volumes };
}

/** Faults of where a container mounts volumes. */
export function validateVolumeMounts(container: unknown, volumes: VolumesByName, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const points = new Set<string>();
  const devices = readItems(container, 'volumeDevices');
  for (const [index, mount] of readItems(container, 'volumeMounts').entries()) {
    const own = path.child('volumeMounts').index(index);
    const name = readText(mount, 'name');
    const point = readText(mount, 'mountPath');
    errors.push(...validatePresent(mount, 'name', own));
    if (!volumes.has(name)) errors.push(makeNotFound(own.child('name'), name));
    errors.push(...validatePresent(mount, 'mountPath', own));
    if (points.has(point)) errors.push(makeInvalid(own.child('mountPath'), point, 'must be unique'));
    points.add(point);
    if (devices.some((device) => device['name'] === name)) {
      errors.push(makeInvalid(own.child('name'), name, 'must not already exist in volumeDevices'));
    }
    if (devices.some((device) => device['devicePath'] === point)) {
      errors.push(makeInvalid(own.child('mountPath'), point, 'must not already exist as a path in volumeDevices'));
    }
    for (const key of ['subPath', 'subPathExpr']) {
      const value = readText(mount, key);
      if (value !== '') errors.push(...validateDescendingPath(value, path.child('volumeMounts', key)));
    }
    if (readText(mount, 'subPath') !== '' && readText(mount, 'subPathExpr') !== '') {
      const detail = 'subPathExpr and subPath are mutually exclusive';
      errors.push(makeInvalid(own.child('subPathExpr'), readText(mount, 'subPathExpr'), detail));
    }
  }
  return errors;
}

/** Faults of the block devices that a container uses. */
export function validateVolumeDevices(container: unknown, volumes: VolumesByName, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const points = new Set<string>();
  const mounts = readItems(container, 'volumeMounts');
  for (const [index, device] of readItems(container, 'volumeDevices').entries()) {
    const own = path.child('volumeDevices').index(index);
    const name = readText(device, 'name');
    const point = readText(device, 'devicePath');
    const volume = volumes.get(name);
    errors.push(...validatePresent(device, 'name', own));
    if (names.has(name)) errors.push(makeInvalid(own.child('name'), name, 'must be unique'));
    const isClaim = ['persistentVolumeClaim', 'ephemeral'].some((key) => readField(volume, key) !== undefined);
    if (volume === undefined) errors.push(makeNotFound(own.child('name'), name));
    else if (!isClaim) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(makeInvalid(own.child('name'), name, detail));
    }
    errors.push(...validatePresent(device, 'devicePath', own));
    if (points.has(point)) errors.push(makeInvalid(own.child('devicePath'), point, 'must be unique'));
    if (point.split('/').includes('..')) {
      errors.push(makeInvalid(own.child('devicePath'), point, "can not contain backsteps ('..')"));
    }
    if (mounts.some((mount) => mount['name'] === name)) {
      errors.push(makeInvalid(own.child('name'), name, 'must not already exist in volumeMounts'));
    }
    if (mounts.some((mount) => mount['mountPath'] === point)) {
      errors.push(makeInvalid(own.child('devicePath'), point, 'must not already exist as a path in volumeMounts'));
    }
    names.add(name);
    points.add(point);
  }
  return errors;
}
