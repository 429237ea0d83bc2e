import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeDuplicate, makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain, checkQualifiedName } from '../../../core/validation/names.ts';
import { validateLegacyIp } from '../../../core/validation/ip.ts';
import { validateLabels } from '../../../core/validation/object-meta.ts';
import {
  readField,
  readFlag,
  readItems,
  readTextList,
  readNumber,
  readObject,
  readText,
  readTexts,
} from '../../workloads/read-field.ts';
import { validateContainerResourceName } from '../resource-names.ts';
import { makeInvalids, validateChoice, validateOptionalChoice, validateRange } from './validate-choice.ts';
import { validateContainers } from './validate-containers.ts';
import { validatePodResources, validateResourceList } from './validate-resources.ts';
import {
  validateAffinity,
  validateSchedulingGates,
  validateTolerations,
  validateTopologySpread,
} from './validate-scheduling.ts';
import { validateVolumes } from './validate-volumes.ts';

const maxInt32 = 0x7fffffff;

function validateResourceClaims(spec: unknown, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return readItems(spec, 'resourceClaims').flatMap((claim, index) => {
    const own = path.child('resourceClaims').index(index);
    const name = readText(claim, 'name');
    const errors: FieldError[] = [];
    if (name === '') errors.push(makeRequired(own.child('name'), ''));
    else if (seen.has(name)) errors.push(makeDuplicate(own.child('name'), name));
    else errors.push(...makeInvalids(own.child('name'), name, checkDns1123Label(name)));
    seen.add(name);
    const sources = ['resourceClaimName', 'resourceClaimTemplateName'];
    const present = sources.filter((key) => readField(claim, key) !== undefined);
    const shown = {
      Name: name,
      ResourceClaimName: claim['resourceClaimName'] ?? null,
      ResourceClaimTemplateName: claim['resourceClaimTemplateName'] ?? null,
    };
    if (present.length > 1) {
      const detail = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      errors.push(makeInvalid(own, shown, detail));
    }
    if (present.length === 0) {
      const detail = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
      errors.push(makeInvalid(own, shown, detail));
    }
    for (const key of present) {
      const value = readText(claim, key);
      errors.push(...makeInvalids(own.child(key), value, checkDns1123Subdomain(value)));
    }
    return errors;
  });
}

function validateHostNetwork(spec: unknown, isPod: boolean, path: FieldPath): FieldError[] {
  if (!readFlag(spec, 'hostNetwork')) return [];
  return readItems(spec, 'containers').flatMap((container, index) =>
    readItems(container, 'ports').flatMap((port, portIndex) => {
      const hostPort = readNumber(port, 'hostPort') ?? 0;
      if ((!isPod && hostPort === 0) || hostPort === readNumber(port, 'containerPort')) return [];
      const own = path.child('containers').index(index).child('ports').index(portIndex).child('hostPort');
      return [makeInvalid(own, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

function validateDns(spec: unknown, path: FieldPath): FieldError[] {
  const errors = validateChoice(
    spec,
    'dnsPolicy',
    ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'],
    path,
  );
  const config = readObject(spec, 'dnsConfig');
  const own = path.child('dnsConfig');
  const servers = readTextList(config, 'nameservers');
  if (readText(spec, 'dnsPolicy') === 'None') {
    if (config === undefined)
      return [...errors, makeRequired(own, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [...errors, makeRequired(own.child('nameservers'), detail)];
    }
  }
  if (servers.length > 3) {
    errors.push(makeInvalid(own.child('nameservers'), servers, 'must not have more than 3 nameservers'));
  }
  errors.push(...servers.flatMap((server, index) => validateLegacyIp(server, own.child('nameservers').index(index))));
  for (const [index, option] of readItems(config, 'options').entries()) {
    if (readText(option, 'name') === '') {
      errors.push(makeRequired(own.child('options').index(index), 'must not be empty'));
    }
  }
  return errors;
}

function validateNames(spec: unknown, path: FieldPath): FieldError[] {
  const checks: [string, (value: string) => string[]][] = [
    ['serviceAccountName', checkDns1123Subdomain],
    ['nodeName', checkDns1123Subdomain],
    ['hostname', checkDns1123Label],
    ['subdomain', checkDns1123Label],
    ['priorityClassName', checkDns1123Subdomain],
    ['runtimeClassName', checkDns1123Subdomain],
  ];
  return checks.flatMap(([key, check]) => {
    const value = readText(spec, key);
    return value === '' ? [] : makeInvalids(path.child(key), value, check(value));
  });
}

function validateSecurityContext(spec: unknown, path: FieldPath): FieldError[] {
  const context = readObject(spec, 'securityContext');
  const own = path.child('securityContext');
  const policies = ['Always', 'OnRootMismatch'];
  return [
    ...['fsGroup', 'runAsGroup', 'runAsUser'].flatMap((key) => {
      const id = readNumber(context, key);
      return id === undefined || (id >= 0 && id <= maxInt32)
        ? []
        : [makeInvalid(own.child(key), id, `must be between 0 and ${maxInt32}, inclusive`)];
    }),
    ...validateOptionalChoice(context, 'fsGroupChangePolicy', policies, own),
  ];
}

function validateOs(spec: unknown, path: FieldPath): FieldError[] {
  if (readObject(spec, 'os') === undefined) return [];
  const name = readText(spec, 'os', 'name');
  if (name === '') return [makeRequired(path.child('os', 'name'), 'cannot be empty')];
  const systems = ['linux', 'windows'];
  return systems.includes(name) ? [] : [makeNotSupported(path.child('os'), name, systems)];
}

/** Faults of a pod's specification, or of a pod template's when `isPod` is false. */
export function validatePodSpec(spec: unknown, path: FieldPath, isPod: boolean): FieldError[] {
  const { errors: volumeErrors, volumes } = validateVolumes(spec, path);
  const podClaims = new Set(readItems(spec, 'resourceClaims').map((claim) => readText(claim, 'name')));
  podClaims.delete('');
  const overhead = readObject(spec, 'overhead');
  return [
    ...(readNumber(spec, 'terminationGracePeriodSeconds') === undefined
      ? [makeRequired(path.child('terminationGracePeriodSeconds'), '')]
      : []),
    ...volumeErrors,
    ...validateResourceClaims(spec, path),
    ...validateContainers({ spec, volumes, podClaims }, path),
    ...validatePodResources(spec, podClaims, path),
    ...validateHostNetwork(spec, isPod, path),
    ...validateChoice(spec, 'restartPolicy', ['Always', 'OnFailure', 'Never'], path),
    ...validateDns(spec, path),
    ...validateLabels(readTexts(spec, 'nodeSelector'), path.child('nodeSelector')),
    ...validateSecurityContext(spec, path),
    ...validateAffinity(spec, path),
    ...readItems(spec, 'readinessGates').flatMap((gate, index) => {
      const type = readText(gate, 'conditionType');
      const own = path.child('readinessGates').index(index).child('conditionType');
      return makeInvalids(own, type, checkQualifiedName(type));
    }),
    ...validateSchedulingGates(spec, path),
    ...validateTopologySpread(spec, path),
    ...validateNames(spec, path),
    ...validateRange(spec, 'activeDeadlineSeconds', 1, maxInt32, path),
    ...validateTolerations(readItems(spec, 'tolerations'), path.child('tolerations')),
    ...validateOptionalChoice(spec, 'preemptionPolicy', ['PreemptLowerPriority', 'Never'], path),
    ...(overhead === undefined
      ? []
      : validateResourceList(overhead, path.child('overhead', 'limits'), validateContainerResourceName)),
    ...validateOs(spec, path),
  ];
}
