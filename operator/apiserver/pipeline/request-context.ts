import type { AdmissionReport } from '../../../admission/admission-plugin.ts';
import type { UserInfo } from '../../../core/meta/user-info.ts';

/** Who makes a request, and where its side effects go. */
export interface RequestContext extends AdmissionReport {
  readonly user: UserInfo;
  /** Names the field manager where the client names none. */
  readonly userAgent: string;
  /** When the request must be answered, in milliseconds since the epoch; absent: whenever it is. */
  readonly deadlineMillis?: number;
  /** Throws a 403 when the user may not create what an update or apply is about to create; absent: no check. */
  authorizeCreate?(): Promise<void>;
}
