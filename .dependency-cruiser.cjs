// The one direction of imports: core <- kinds <- platform <- admission <- the programs, which never import each other.
const layers = ['core', 'kinds', 'platform', 'admission'];
const programs = ['operator', 'webhooks', 'agent', 'cli'];

function forbid(from, to) {
  return {
    name: `${from} must not import ${to}`,
    severity: 'error',
    from: { path: `^${from}/`, pathNot: '\\.test\\.ts$' },
    to: { path: `^${to}/` },
  };
}

const forbidden = [];
for (const [index, layer] of layers.entries()) {
  for (const above of [...layers.slice(index + 1), ...programs, 'test', 'tools']) {
    forbidden.push(forbid(layer, above));
  }
}
for (const program of programs) {
  for (const other of [...programs, 'test', 'tools']) {
    if (other !== program) {
      forbidden.push(forbid(program, other));
    }
  }
}

module.exports = {
  forbidden: [
    ...forbidden,
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true, dependencyTypesNot: ['type-only'] } },
    { name: 'nothing unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'core and kinds do no I/O',
      severity: 'error',
      from: { path: '^(core|kinds)/', pathNot: '(\\.test\\.ts|/testdata/.*)$' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(buffer|util)$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
