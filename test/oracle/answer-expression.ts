import { compileExpression } from '../../core/cel/compile-expression.ts';
import { extendEnvironment, type CelEnvironment, type CelObjectType } from '../../core/cel/check/cel-environment.ts';
import { buildKubernetesEnvironment } from '../../core/cel/kubernetes-environment.ts';
import {
  authorizerType,
  makeAuthorizer,
  makeRequestResource,
  resourceCheckType,
} from '../../core/cel/libraries/authorizer/authorizer-values.ts';
import type { CelLibrary } from '../../core/cel/libraries/cel-library.ts';
import { MissingFact } from '../../core/cel/libraries/authorizer/missing-fact.ts';
import type { PermissionAnswer, PermissionQuestion } from '../../core/cel/libraries/authorizer/permission.ts';
import { BudgetExceeded, CostMeter } from '../../core/cel/plan/cost-meter.ts';
import { dynType, type CelType } from '../../core/cel/types/cel-type.ts';
import { completeResource, declareShape } from '../../core/cel/types/declared-shape.ts';
import { formatOutputType } from '../../core/cel/types/format-cel-type.ts';
import { shapeOfOpenApi } from '../../core/cel/types/shape-of-open-api.ts';
import { CelError, type CelValue } from '../../core/cel/values/cel-value.ts';
import { toCelValue } from '../../core/cel/values/json-value.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { FunctionFacts, OracleAnswer, OracleDecision, OracleRequest, OracleVariable } from './oracle-protocol.ts';
import { parseCelType } from './parse-cel-type.ts';
import { toStructuralSchema } from './to-structural-schema.ts';
import { decodeValue, encodeValue } from './typed-value.ts';

/** Kubernetes' limit of one expression. */
const callLimit = 1_000_000;

/** Answers a question as the oracle does, with this project's engine; of an expression in an environment of declared variables. */
export function answerExpression(request: OracleRequest): OracleAnswer {
  const compilation = compileExpression(request.expression, findEnvironment(request));
  if (compilation.program === undefined) {
    if (compilation.stage === 'program') return { error: `program instantiation failed: ${compilation.text}` };
    return {
      faults: compilation.faults.map(({ line, column, message }) => ({ line, column, message })),
      text: compilation.text,
    };
  }
  const { program } = compilation;
  const type = formatOutputType(program.type);
  if (request.checkOnly === true) return { type };
  const permissions: Record<string, PermissionAnswer> = {};
  for (;;) {
    const meter = new CostMeter(request.limit ?? callLimit);
    try {
      const result = program.evaluate(bindVariables(request, permissions), meter);
      const answer = result instanceof CelError ? { error: result.message } : { result: encodeValue(result) };
      return { type, ...answer, cost: meter.spent };
    } catch (error) {
      if (error instanceof BudgetExceeded) {
        return { type, error: 'operation cancelled: actual cost limit exceeded', cost: meter.spent };
      }
      if (!(error instanceof MissingFact)) throw error;
      permissions[error.key] = answerQuestion(error.question, request.authorizer?.decisions ?? {});
    }
  }
}

const environments = new WeakMap<object, CelEnvironment>();

/** Requests of one world share their variables, and so their environment. */
function findEnvironment(request: OracleRequest): CelEnvironment {
  const key = request.functions === undefined && request.container === undefined ? request.variables : undefined;
  const known = key && environments.get(key);
  if (known !== undefined) return known;
  const variables: Record<string, CelType> = {};
  const objects: CelObjectType[] = [];
  for (const [name, variable] of Object.entries(request.variables ?? {})) {
    variables[name] = declareVariable(name, variable, objects);
  }
  if (request.authorizer !== undefined) {
    variables['authorizer'] = authorizerType;
    variables['authorizer.requestResource'] = resourceCheckType;
  }
  const base = buildKubernetesEnvironment({ mode: request.mode ?? 'new', variables, objects });
  const environment = extendEnvironment(base, {
    ...(request.container !== undefined && { container: request.container }),
    ...(request.functions && { libraries: [makeLibrary(request.functions)] }),
  });
  if (key !== undefined) environments.set(key, environment);
  return environment;
}

function makeLibrary(functions: FunctionFacts): CelLibrary {
  return {
    name: 'test',
    functions: Object.entries(functions).map(([name, overloads]) => ({
      name,
      overloads: overloads.map(({ id, member, parameters, result }) => ({
        id,
        isMember: member === true,
        parameters: parameters.map(parseCelType),
        result: parseCelType(result),
      })),
    })),
  };
}

function declareVariable(name: string, { type, schema }: OracleVariable, objects: CelObjectType[]): CelType {
  if (schema === undefined || type === 'dyn') return type === undefined ? dynType : parseCelType(type);
  const shape = shapeOfOpenApi(schema as JsonObject, () => undefined);
  if (shape === undefined) throw new Error(`the schema of ${name} declares no type`);
  const declared = declareShape(completeResource(shape), type ?? `Schema_${name}`);
  objects.push(...declared.objects);
  return declared.type;
}

function bindVariables(
  request: OracleRequest,
  permissions: Record<string, PermissionAnswer>,
): Record<string, CelValue> {
  const bound: Record<string, CelValue> = {};
  for (const [name, variable] of Object.entries(request.variables ?? {})) {
    if (variable.json !== undefined) {
      bound[name] = toCelValue(
        variable.json,
        variable.wrapped === true ? toStructuralSchema(variable.schema as JsonObject) : undefined,
      );
    } else if (variable.value !== undefined) bound[name] = decodeValue(variable.value);
  }
  const { authorizer } = request;
  if (authorizer !== undefined) {
    const user = { username: authorizer.user.name, groups: authorizer.user.groups ?? [] };
    const { group = '', resource = '', ...rest } = authorizer.requestResource ?? {};
    bound['authorizer'] = makeAuthorizer(user, permissions);
    bound['authorizer.requestResource'] = makeRequestResource(user, permissions, { group, resource, ...rest });
  }
  return bound;
}

/** What a scripted authorizer says; it knows no selectors. */
export function answerQuestion(
  { user, attributes }: PermissionQuestion,
  decisions: Readonly<Record<string, OracleDecision>>,
): PermissionAnswer {
  const key =
    attributes.type === 'non-resource'
      ? `path ${attributes.path} ${attributes.verb} ${user.username}`
      : `${attributes.verb} ${attributes.group}/${attributes.resource}/${attributes.subresource ?? ''} ${attributes.namespace ?? ''}/${attributes.name ?? ''} ${user.username}`;
  const hasSelector =
    attributes.type === 'resource' && (attributes.fieldSelector ?? attributes.labelSelector) !== undefined;
  const decision = hasSelector ? undefined : decisions[key];
  return {
    allowed: decision?.decision === 'allow',
    reason: decision?.reason ?? '',
    ...(decision?.error !== undefined && { error: decision.error }),
  };
}
