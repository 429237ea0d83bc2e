interface KubeVersion {
  readonly major: number;
  /** 0 for alpha, 1 for beta, 2 for what is neither. */
  readonly stage: number;
  readonly minor: number;
}

const KUBE_VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

function parseKubeVersion(text: string): KubeVersion | undefined {
  const [, major, stage, minor = '0'] = KUBE_VERSION.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { major: Number(major), stage: stage === undefined ? 2 : stage === 'beta' ? 1 : 0, minor: Number(minor) };
}

/**
 * Orders versions of an API from the preferred one to the least: `v10`, `v2`, `v1`, `v3beta1`, `v1alpha2`, `v1alpha1`, and then names that
 * are no such versions, by their text. Negative when `left` comes first.
 */
export function compareVersions(left: string, right: string): number {
  if (left === right) return 0;
  const [first, second] = [parseKubeVersion(left), parseKubeVersion(right)];
  if (first !== undefined && second !== undefined) {
    return second.stage - first.stage || second.major - first.major || second.minor - first.minor;
  }
  if (first !== undefined) return -1;
  if (second !== undefined) return 1;
  return left < right ? -1 : 1;
}
