import { parseRequestUri } from '../../../core/cel/libraries/url/parse-url.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';

/** Key of the annotation that says where an API was approved. */
export const approvalKey = 'api-approved.kubernetes.io';
const proposal = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** Whether the API of a group of the Kubernetes community was approved, and the words for it. */
export interface ApiApproval {
  readonly state: 'Approved' | 'Unapproved' | 'Missing' | 'Invalid';
  readonly message: string;
}

function isCommunityGroup(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

function isAbsoluteUrl(text: string): boolean {
  const url = parseRequestUri(text);
  return !('fault' in url) && url.host !== '' && url.scheme !== '';
}

/** What the annotations of a definition say of its approval; `undefined` for groups that need none. */
export function readApproval(
  group: string,
  annotations: Readonly<Record<string, string>> | undefined,
): ApiApproval | undefined {
  if (!isCommunityGroup(group)) return undefined;
  const annotation = annotations?.[approvalKey] ?? '';
  const demand = `protected groups must have approval annotation ${quoteGo(approvalKey)}`;
  if (annotation === '') return { state: 'Missing', message: `${demand}, ${proposal}` };
  if (annotation.startsWith('unapproved')) {
    return { state: 'Unapproved', message: `not approved: ${quoteGo(annotation)}` };
  }
  if (isAbsoluteUrl(annotation)) return { state: 'Approved', message: `approved in ${annotation}` };
  const form = 'with either a URL or a reason starting with "unapproved"';
  return { state: 'Invalid', message: `${demand} ${form}, ${proposal}` };
}
