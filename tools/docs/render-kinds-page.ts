import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { formatApiVersion } from '../../core/meta/resource-name.ts';
import type { KindDefinition } from '../../kinds/kind-definition.ts';
import { locateKind } from '../../kinds/locate-kind.ts';
import { agentKinds, ownReviewKinds, policyKinds } from '../../kinds/registry.ts';
import { workloadKinds } from '../../kinds/workloads/workload-kinds.ts';
import { projectRoot } from '../run-command.ts';

const page = 'docs/reference';

/** The first paragraph of the section `In force` of a kind's README, in one line. Throws when there is none. */
function readEnforcement(folder: string): string {
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  const paragraph = /\n## In force\n\n(.+?)\n\n/s.exec(text)?.[1];
  if (paragraph === undefined) throw new Error(`${folder}/README.md does not say what is in force`);
  return paragraph.replaceAll('\n', ' ');
}

function listSubresources({ subresources = [], strategy, scale }: KindDefinition): string[] {
  return [
    ...subresources,
    ...(scale === undefined ? [] : ['scale']),
    ...(strategy.status === undefined ? [] : ['status']),
  ];
}

function formatPath(group: string, { version, namespaced, plural }: KindDefinition): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `\`${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}\``;
}

function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function renderPolicyKind(kind: KindDefinition): string[] {
  const folder = locateKind(kind);
  const path = formatPath(kind.groupTemplate, kind);
  const alias = kind.aliasGroupTemplate === undefined ? '' : `, also ${formatPath(kind.aliasGroupTemplate, kind)}`;
  const names =
    kind.shortNames.length === 0 ? '' : ` (short: ${kind.shortNames.map((name) => `\`${name}\``).join(', ')})`;
  const below = listSubresources(kind).map((name) => `\`/${name}\``);
  return [
    `## [${kind.kind}](${relative(join(projectRoot, page), folder)}/README.md)`,
    '',
    `${kind.description} ${readEnforcement(folder)}`,
    '',
    `- apiVersion: \`${formatApiVersion(kind.groupTemplate, kind.version)}\``,
    `- resource: \`${kind.plural}\`${names}, ${kind.namespaced ? 'namespaced' : 'cluster-scoped'}`,
    `- path: ${path}${alias}`,
    ...(kind.verbs === undefined ? [] : [`- verbs: ${kind.verbs.join(', ')}`]),
    ...(below.length === 0 ? [] : [`- subresources: ${below.join(', ')}`]),
    '',
  ];
}

/** `docs/reference/kinds.md`: every kind that is served, from the registry; what is in force comes from the READMEs of the kinds. */
export function renderKindsPage(): string {
  const rows = workloadKinds.map((kind) => [
    kind.kind,
    `\`${formatApiVersion(kind.groupTemplate, kind.version)}\``,
    `\`${kind.plural}\``,
    kind.namespaced ? 'yes' : 'no',
    kind.verbs?.join(', ') ?? 'all',
    listSubresources(kind).join(', '),
  ]);
  return [
    '# Kinds',
    '',
    'Made by `npm run generate` from `kinds/registry.ts`; `npm run check` fails when this page is out of date.',
    '',
    '`{domain}` is the domain of the installation, `bailiwick.dev` unless `--domain` says otherwise. With the domain `k8s.io` the groups are',
    'those of Kubernetes itself, and there are no second paths. Manifests that are to work on a cluster too use the second paths.',
    '',
    ...[...policyKinds, ...ownReviewKinds, ...agentKinds].flatMap(renderPolicyKind),
    '## Workload kinds',
    '',
    'The service holds these as Kubernetes 1.34 does: same groups whatever the domain, same defaults, rules, columns and selectors. Nothing',
    'runs them: no scheduler, no kubelet, no controller that makes pods of a Deployment. Where `create` is the only verb, what is sent is',
    'answered or acted on, and not kept.',
    '',
    ...renderTable(['kind', 'apiVersion', 'resource', 'namespaced', 'verbs', 'subresources'], rows),
    '',
  ].join('\n');
}
