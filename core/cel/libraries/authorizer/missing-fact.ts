import { keyOfQuestion, type PermissionQuestion } from './permission.ts';

/** Thrown when an expression asks for a permission that it was not given; no operator of the language absorbs it. */
export class MissingFact extends Error {
  override readonly name = 'MissingFact';
  readonly question: PermissionQuestion;
  /** Where the answer is looked for in `Permissions`. */
  readonly key: string;

  constructor(question: PermissionQuestion) {
    super('a permission is not known yet');
    this.question = question;
    this.key = keyOfQuestion(question);
  }
}
