import { agentFlags, configurationFlags } from '../../agent/config/agent-flags.ts';
import { type ConfigField, type ConfigGroup, isConfigGroup } from '../../agent/config/config-field.ts';
import { configSchema } from '../../agent/config/config-schema.ts';
import { featureGateDefinitions, type FeatureGateDefinition } from '../../agent/config/feature-gates.ts';
import type { FlagDefinition } from '../../platform/process/parse-flags.ts';

const flagOf = new Map(Object.entries(configurationFlags).map(([flag, path]) => [path.join('.'), flag]));

function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function formatDefault({ default: value, defaultText, type }: ConfigField): string {
  if (defaultText !== undefined) return defaultText;
  if (value === undefined) return type.startsWith('map') || type.startsWith('list') ? 'none' : '';
  if (typeof value !== 'object') return `\`${String(value)}\``;
  return Object.entries(value ?? {})
    .map(([name, entry]) => `\`${name}: ${String(entry)}\``)
    .join(', ');
}

function formatType({ type, values, minimum, maximum }: ConfigField): string {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(' or ');
  if (type !== 'integer') return type;
  const from = minimum === undefined ? '' : ` from ${minimum}`;
  return `integer${from}${maximum === undefined ? '' : ` to ${maximum}`}`;
}

function listRows({ fields }: ConfigGroup, prefix: string): string[][] {
  return Object.entries(fields).flatMap(([name, node]) => {
    const path = `${prefix}${name}`;
    if (isConfigGroup(node)) return listRows(node, `${path}.`);
    const flag = flagOf.get(path);
    const idle = node.isWithoutEffect === true ? ' Accepted and shown, without an effect yet.' : '';
    const secret = node.isSecret === true ? ' Its values are shown nowhere.' : '';
    const said = flag === undefined ? '' : ` Flag: \`--${flag}\`.`;
    return [[`\`${path}\``, formatType(node), formatDefault(node), `${node.description}${said}${idle}${secret}`]];
  });
}

function listGateRows(): string[][] {
  const gates: Readonly<Record<string, FeatureGateDefinition>> = featureGateDefinitions;
  return Object.entries(gates).map(([name, { stage, since, isEnabled, isLocked, description, effect }]) => [
    `\`${name}\``,
    `${stage} since ${since}`,
    `${isEnabled ? 'on' : 'off'}${isLocked === true ? ', always' : ''}`,
    `${description} ${effect ?? 'Nothing depends on it yet.'}`,
  ]);
}

function listFlagRows(): string[][] {
  const flags: Readonly<Record<string, FlagDefinition<unknown>>> = agentFlags;
  return Object.entries(flags).map(([name, { valueName, description, fallback }]) => {
    const field = Object.hasOwn(configurationFlags, name)
      ? configurationFlags[name as keyof typeof configurationFlags].join('.')
      : undefined;
    const isShown = field === undefined && fallback !== undefined && fallback !== '' && String(fallback) !== '';
    return [
      `\`--${name} ${valueName}\``,
      isShown ? `\`${String(fallback)}\`` : '',
      `${description}${field === undefined ? '' : ` (\`${field}\`)`}`,
    ];
  });
}

/** `docs/reference/agent-configuration.md`: flags, fields and feature gates of the node agent, from their definitions. */
export function renderAgentConfigPage(): string {
  return [
    '# Configuration of the node agent',
    '',
    'Made by `npm run generate` from `agent/config/`; `npm run check` fails when this page is out of date.',
    'What the agent does, and how files, drop-ins and flags come together, is told in [the node agent](../agent.md).',
    '',
    '## Fields',
    '',
    'Of a file with `apiVersion: agent.config.{domain}/v1beta1` and `kind: AgentConfiguration`. A field that the kubelet has as well has its',
    'name, type and default, except for `address`, `port`, `healthzPort` and `serverTLSBootstrap`: the agent runs beside a kubelet. Durations',
    'are texts such as `1m30s`; bytes are quantities such as `10Gi`, or numbers. Relative paths are those in the folder of the file.',
    '',
    ...renderTable(['Field', 'Type', 'Default', 'Effect'], listRows(configSchema, '')),
    '',
    '## Feature gates',
    '',
    'Of `featureGates` and `--feature-gates`, with their stages in release 1.34. `AllAlpha` and `AllBeta` set every gate of their stage that is',
    'not set by name. A gate that is not known is refused.',
    '',
    ...renderTable(['Gate', 'Stage', 'Default', 'Effect'], listGateRows()),
    '',
    '## Flags',
    '',
    'Flags win over files. Those in brackets set a field.',
    '',
    ...renderTable(['Flag', 'Default', 'Meaning'], listFlagRows()),
    '',
  ].join('\n');
}
