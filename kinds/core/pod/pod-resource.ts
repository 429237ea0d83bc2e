/** How pods are named at the API. */
export const podResource = { group: '', version: 'v1', resource: 'pods' } as const;
