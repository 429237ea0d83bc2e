import type { UserInfo } from '../../../core/meta/user-info.ts';

/** Who makes a request, and where its side effects go. */
export interface RequestContext {
  readonly user: UserInfo;
  /** Names the field manager where the client names none. */
  readonly userAgent: string;
  /** Adds a `Warning` header. */
  warn(text: string): void;
  /** Throws a 403 when the user may not create what an update or apply is about to create; absent: no check. */
  authorizeCreate?(): Promise<void>;
}
