import { stringify, type CollectionTag, type ScalarTag, type Tags } from 'yaml';

/** The library takes a dot alone for a number of YAML 1.1, and quotes it; the one that Kubernetes has does not. */
function requireDigits(tags: Tags): Tags {
  return tags.map((tag): Tags[number] =>
    isScalarTag(tag) && tag.tag === 'tag:yaml.org,2002:float' && tag.test?.test('.') === true
      ? { ...tag, test: new RegExp(`(?=.*[0-9])(?:${tag.test.source})`, tag.test.flags) }
      : tag,
  );
}

function isScalarTag(tag: Tags[number]): tag is ScalarTag {
  return typeof tag === 'object' && !(tag as CollectionTag).collection;
}

/** Prints a value as YAML in the manner of Kubernetes: keys in order, and quotes where YAML 1.1 would read no text. */
export function formatYaml(value: unknown): string {
  return stringify(value, {
    version: '1.1',
    indentSeq: false,
    sortMapEntries: true,
    lineWidth: 80,
    aliasDuplicateObjects: false,
    customTags: requireDigits,
  });
}
