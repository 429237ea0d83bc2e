import type { JsonValue } from '../../core/meta/json.ts';

/**
 * Types of fields. `duration` is a text such as `1m30s`; `bytes` a quantity such as `10Gi`, or a whole number; a share is such as `15%`; the maps have texts,
 * booleans or lists of texts as values.
 */
export type ConfigValueType =
  | 'boolean'
  | 'integer'
  | 'text'
  | 'duration'
  | 'bytes'
  | 'bytes or a share'
  | 'list of texts'
  | 'list of taints'
  | 'map of texts'
  | 'map of booleans'
  | 'map of lists of texts';

/** A field that holds a value. */
export interface ConfigField {
  readonly type: ConfigValueType;
  /** Value of a field that is absent, as a file would have it; none: the field stays absent. */
  readonly default?: JsonValue;
  /** What the page says instead of the default's value. */
  readonly defaultText?: string;
  /** Whether `0`, `0s` and `""` read as absent, as they do where Go's type has no pointer. */
  readonly isZeroAbsent?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly values?: readonly string[];
  /** What it does. */
  readonly description: string;
  /** Whether it is accepted and shown, and changes nothing yet. */
  readonly isWithoutEffect?: boolean;
  /** Whether relative paths are resolved against the folder of the file. */
  readonly isPath?: boolean;
  /** Whether its values are not to be shown to anybody. */
  readonly isSecret?: boolean;
}

/** A field that holds fields. */
export interface ConfigGroup {
  readonly fields: Readonly<Record<string, ConfigNode>>;
}

export type ConfigNode = ConfigField | ConfigGroup;

/** Tells a group from a field. */
export function isConfigGroup(node: ConfigNode): node is ConfigGroup {
  return 'fields' in node;
}
