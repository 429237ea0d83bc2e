const faultyEscape = /%(?![0-9A-Fa-f]{2})/;

/** Parses a query, without its `?`; as in Kubernetes, a pair with a semicolon or an escape that is none is as if it were not there. */
export function parseQuery(text: string): URLSearchParams {
  // URLSearchParams takes off a `?` that a text begins with; here it belongs to the first key.
  if (!text.includes(';') && !faultyEscape.test(text)) return new URLSearchParams(`&${text}`);
  const pairs = text.split('&').filter((pair) => !pair.includes(';') && !faultyEscape.test(pair));
  return new URLSearchParams(`&${pairs.join('&')}`);
}
