const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const pathPart = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const path = `${pathPart}(?:/${pathPart})*`;
const algorithm = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*';
const reference = new RegExp(
  `^(?:${domain}/)?${path}(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>${algorithm}:[0-9a-fA-F]{32,}))?$`,
);

/** The domain of an image's name, when its first part reads as one. */
function hasDomain(image: string): boolean {
  const end = image.indexOf('/');
  const first = end < 0 ? '' : image.slice(0, end);
  return /[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first;
}

/** The tag that an image's name means: `latest` where it names neither tag nor digest, empty where only a digest, or where it cannot be read. */
export function parseImageTag(image: string): string {
  if (/^[a-f0-9]{64}$/.test(image)) return '';
  const match = reference.exec(hasDomain(image) ? image : `docker.io/${image}`);
  if (match === null) return '';
  return match.groups?.['tag'] ?? (match.groups?.['digest'] === undefined ? 'latest' : '');
}
