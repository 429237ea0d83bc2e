/** A parameter in the query or the path. */
export interface OperationParameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly description: string;
  readonly type: 'string' | 'integer' | 'boolean';
}
