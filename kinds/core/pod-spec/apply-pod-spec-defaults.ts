import type { JsonObject } from '../../../core/meta/json.ts';
import { fillField, readField, readItems, readObject, readText } from '../../workloads/read-field.ts';
import { roundResourceList, type ResourceList } from '../resource-lists.ts';
import { parseImageTag } from './parse-image-tag.ts';

const volumeFileMode = 0o644;
const tokenSeconds = 3600;
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** Rounds the amounts of a `resources` field up to thousandths, in place. */
function roundRequirements(owner: JsonObject): void {
  for (const side of ['limits', 'requests'])
    roundResourceList(readObject(owner, 'resources', side) as ResourceList | undefined);
}

function defaultHttpGet(handler: JsonObject | undefined): void {
  const httpGet = readObject(handler, 'httpGet');
  if (httpGet === undefined) return;
  fillField(httpGet, 'path', '/');
  fillField(httpGet, 'scheme', 'HTTP');
}

function fillZero(owner: JsonObject, key: string, value: number): void {
  if (!owner[key]) owner[key] = value;
}

function defaultProbe(probe: JsonObject | undefined): void {
  if (probe === undefined) return;
  defaultHttpGet(probe);
  fillZero(probe, 'timeoutSeconds', 1);
  fillZero(probe, 'periodSeconds', 10);
  fillZero(probe, 'successThreshold', 1);
  fillZero(probe, 'failureThreshold', 3);
}

function defaultContainer(container: JsonObject): void {
  const isLatest = parseImageTag(readText(container, 'image')) === 'latest';
  fillField(container, 'imagePullPolicy', isLatest ? 'Always' : 'IfNotPresent');
  fillField(container, 'terminationMessagePath', '/dev/termination-log');
  fillField(container, 'terminationMessagePolicy', 'File');
  for (const port of readItems(container, 'ports')) fillField(port, 'protocol', 'TCP');
  for (const variable of readItems(container, 'env')) {
    const fieldRef = readObject(variable, 'valueFrom', 'fieldRef');
    if (fieldRef !== undefined) fillField(fieldRef, 'apiVersion', 'v1');
  }
  for (const name of probes) defaultProbe(readObject(container, name));
  for (const name of ['postStart', 'preStop']) defaultHttpGet(readObject(container, 'lifecycle', name));
  roundRequirements(container);
}

function defaultDownwardItems(source: JsonObject): void {
  for (const item of readItems(source, 'items')) {
    const fieldRef = readObject(item, 'fieldRef');
    if (fieldRef !== undefined) fillField(fieldRef, 'apiVersion', 'v1');
  }
}

function defaultVolume(volume: JsonObject): void {
  const sources = Object.keys(volume).filter(
    (key) => key !== 'name' && volume[key] !== undefined && volume[key] !== null,
  );
  if (sources.length === 0) volume['emptyDir'] = {};
  for (const name of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const source = readObject(volume, name);
    if (source !== undefined) fillField(source, 'defaultMode', volumeFileMode);
  }
  const downward = readObject(volume, 'downwardAPI');
  if (downward !== undefined) defaultDownwardItems(downward);
  for (const source of readItems(volume, 'projected', 'sources')) {
    const token = readObject(source, 'serviceAccountToken');
    if (token !== undefined) fillField(token, 'expirationSeconds', tokenSeconds);
    const projected = readObject(source, 'downwardAPI');
    if (projected !== undefined) defaultDownwardItems(projected);
  }
  const hostPath = readObject(volume, 'hostPath');
  if (hostPath !== undefined && readField(hostPath, 'type') === undefined) hostPath['type'] = '';
  const claim = readObject(volume, 'ephemeral', 'volumeClaimTemplate', 'spec');
  if (claim !== undefined) fillField(claim, 'volumeMode', 'Filesystem');
}

/** Containers of every sort in a pod's specification, in the order regular, init, ephemeral. */
function listContainers(spec: unknown): JsonObject[] {
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((key) => readItems(spec, key));
}

/** Removes what upstream knows, but does not serve unless a feature is switched on that by default is off; in place. */
function dropUnservedFields(spec: JsonObject): void {
  delete spec['hostnameOverride'];
  const isImage = (volume: JsonObject): boolean => readObject(volume, 'image') !== undefined;
  const images = new Set(
    readItems(spec, 'volumes')
      .filter(isImage)
      .map((volume) => volume['name']),
  );
  if (images.size > 0) spec['volumes'] = readItems(spec, 'volumes').filter((volume) => !isImage(volume));
  for (const container of listContainers(spec)) {
    delete container['restartPolicyRules'];
    if (images.size === 0 || container['volumeMounts'] === undefined) continue;
    container['volumeMounts'] = readItems(container, 'volumeMounts').filter((mount) => !images.has(mount['name']));
  }
  for (const container of readItems(spec, 'containers')) delete container['restartPolicy'];
  for (const container of readItems(spec, 'initContainers')) {
    if (container['restartPolicy'] !== 'Always') delete container['restartPolicy'];
  }
}

/** Fills the defaults that pods and pod templates share, and removes fields that are not served; in place. */
export function applyPodSpecDefaults(spec: JsonObject): void {
  dropUnservedFields(spec);
  fillField(spec, 'dnsPolicy', 'ClusterFirst');
  fillField(spec, 'restartPolicy', 'Always');
  fillField(spec, 'schedulerName', 'default-scheduler');
  if (readObject(spec, 'securityContext') === undefined) spec['securityContext'] = {};
  fillField(spec, 'terminationGracePeriodSeconds', 30);
  // The older name of the account is kept in step with the newer one.
  const account = readText(spec, 'serviceAccountName') || readText(spec, 'serviceAccount');
  if (account !== '') Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  for (const volume of readItems(spec, 'volumes')) defaultVolume(volume);
  for (const container of listContainers(spec)) defaultContainer(container);
  roundRequirements(spec);
  roundResourceList(readObject(spec, 'overhead') as ResourceList | undefined);
}
