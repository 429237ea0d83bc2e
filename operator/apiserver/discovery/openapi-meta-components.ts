/** Prefix of the names of Kubernetes' common schemas. */
export const META_PREFIX = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
export const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
export const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
export const TIME = `${META_PREFIX}Time`;
export const MICRO_TIME = `${META_PREFIX}MicroTime`;

const text = (description: string): object => ({ description, type: 'string' });
const texts = (description: string): object => ({
  description,
  type: 'array',
  items: { type: 'string' },
  'x-kubernetes-list-type': 'atomic',
});
const apiVersion = text('Group and version of the representation.');
const kind = text('Kind of the object.');

/** OpenAPI v2 has no choices: the format says what the type does not. */
export const INT_OR_STRING_V2: Readonly<Record<string, unknown>> = {
  description: 'A whole number, or a text such as a percentage or a name.',
  type: 'string',
  format: 'int-or-string',
};

/** Common schemas, as far as no kind's own schema brings them. `$name` refers to another one, below the prefix. */
export const META_COMPONENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  [QUANTITY]: { description: 'A number with a unit, such as 500m or 1.5Gi.', type: 'string' },
  [INT_OR_STRING]: {
    description: 'A whole number, or a text such as a percentage or a name.',
    format: 'int-or-string',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
  },
  [TIME]: { description: 'A time in RFC 3339, in whole seconds.', type: 'string', format: 'date-time' },
  [MICRO_TIME]: { description: 'A time in RFC 3339, in microseconds.', type: 'string', format: 'date-time' },
  [`${META_PREFIX}Patch`]: {
    description: "A patch in the form that the request's media type names.",
    type: 'object',
  },
  [`${META_PREFIX}ListMeta`]: {
    description: 'Metadata of a list.',
    type: 'object',
    properties: {
      continue: text('Token to ask for the next page with; absent on the last one.'),
      remainingItemCount: {
        description: 'How many items follow after this page, when that is known.',
        type: 'integer',
        format: 'int64',
      },
      resourceVersion: text('Version of the state that the list shows.'),
      selfLink: text('No longer filled.'),
    },
  },
  [`${META_PREFIX}Preconditions`]: {
    description: 'What must hold for an object to be deleted.',
    type: 'object',
    properties: { resourceVersion: text('Version of the object.'), uid: text('Identity of the object.') },
  },
  [`${META_PREFIX}DeleteOptions`]: {
    description: 'Options of a deletion.',
    type: 'object',
    properties: {
      apiVersion,
      dryRun: texts('`All` deletes nothing.'),
      gracePeriodSeconds: {
        description: 'Seconds until the object is gone; 0 means at once.',
        type: 'integer',
        format: 'int64',
      },
      kind,
      orphanDependents: { description: 'Whether dependents stay. Use propagationPolicy.', type: 'boolean' },
      preconditions: { $name: 'Preconditions', description: 'What must hold for the object to be deleted.' },
      propagationPolicy: text('Orphan, Background or Foreground.'),
    },
  },
  [`${META_PREFIX}StatusCause`]: {
    description: 'One cause of a failure.',
    type: 'object',
    properties: {
      field: text('Path of the field that is at fault.'),
      message: text('What is wrong, for people.'),
      reason: text('What is wrong, for programs.'),
    },
  },
  [`${META_PREFIX}StatusDetails`]: {
    description: 'What a Status is about.',
    type: 'object',
    properties: {
      causes: {
        description: 'Every cause of the failure.',
        type: 'array',
        items: { $name: 'StatusCause' },
        'x-kubernetes-list-type': 'atomic',
      },
      group: text('Group of the kind.'),
      kind: text('Kind or resource.'),
      name: text('Name of the object.'),
      retryAfterSeconds: { description: 'When to try again.', type: 'integer', format: 'int32' },
      uid: text('Identity of the object.'),
    },
  },
  [`${META_PREFIX}Status`]: {
    description: 'Answer of what has no object to answer.',
    type: 'object',
    properties: {
      apiVersion,
      code: { description: 'HTTP code.', type: 'integer', format: 'int32' },
      details: { $name: 'StatusDetails', description: 'What it is about.', 'x-kubernetes-list-type': 'atomic' },
      kind,
      message: text('What happened, for people.'),
      metadata: { $name: 'ListMeta', description: 'Metadata of a list.' },
      reason: text('What happened, for programs.'),
      status: text('Success or Failure.'),
    },
    'x-kubernetes-group-version-kind': [{ group: '', kind: 'Status', version: 'v1' }],
  },
  [`${META_PREFIX}APIResource`]: {
    description: 'A resource that is served.',
    type: 'object',
    required: ['name', 'singularName', 'namespaced', 'kind', 'verbs'],
    properties: {
      categories: texts('Groups of resources that it is in, such as `all`.'),
      group: text("Group of the kind where it is not the list's."),
      kind: text('Kind of its objects.'),
      name: text('Plural name.'),
      namespaced: { description: 'Whether its objects are in namespaces.', type: 'boolean' },
      shortNames: texts('Short names.'),
      singularName: text('Singular name.'),
      verbs: texts('Verbs that are served.'),
      version: text("Version of the kind where it is not the list's."),
    },
  },
  [`${META_PREFIX}APIResourceList`]: {
    description: 'The resources of a group and version.',
    type: 'object',
    required: ['groupVersion', 'resources'],
    properties: {
      apiVersion,
      groupVersion: text('Group and version.'),
      kind,
      resources: {
        description: 'The resources.',
        type: 'array',
        items: { $name: 'APIResource' },
        'x-kubernetes-list-type': 'atomic',
      },
    },
    'x-kubernetes-group-version-kind': [{ group: '', kind: 'APIResourceList', version: 'v1' }],
  },
};
