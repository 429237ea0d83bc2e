import type { KindDefinition } from './kind-definition.ts';

const FOLDER_OF_GROUP: Readonly<Record<string, string>> = {
  '': 'core',
  'networking.{domain}': 'networking',
  policy: 'policy',
  'flowcontrol.apiserver.{domain}': 'flowcontrol',
  'admissionregistration.{domain}': 'admissionregistration',
  'review.{domain}': 'review',
  'node.{domain}': 'node',
};

/** Folder of a kind of ours in the tree, for tests and generators. Throws for a group without a folder. */
export function locateKind({ groupTemplate, kind }: Pick<KindDefinition, 'groupTemplate' | 'kind'>): string {
  const group = FOLDER_OF_GROUP[groupTemplate];
  if (group === undefined) throw new Error(`no folder holds the group ${groupTemplate}`);
  const name = kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  return decodeURIComponent(new URL(`./${group}/${name}`, import.meta.url).pathname);
}
